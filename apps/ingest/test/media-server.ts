import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from 'node:net';

export interface MediaServer extends AsyncDisposable {
  url: string;
  /** The Range header of each request, in order; `undefined` for one without. */
  ranges: (string | undefined)[];
}

/** An HTTP server on loopback that answers each request as told. */
export async function mediaServer(answer: (request: IncomingMessage, response: ServerResponse, nth: number) => void): Promise<MediaServer> {
  const ranges: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    ranges.push(request.headers.range);
    answer(request, response, ranges.length);
  });
  return { url: await listening(server), ranges, [Symbol.asyncDispose]: () => closed(server) };
}

/** A server that writes raw bytes to whoever connects, and closes: for answers that no HTTP server would give. */
export async function rawServer(bytes: string | Uint8Array): Promise<MediaServer> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(bytes));
  });
  return { url: await listening(server), ranges: [], [Symbol.asyncDispose]: () => closed(server) };
}

async function listening(server: Server | TcpServer): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/talk.mp3`;
}

async function closed(server: Server | TcpServer): Promise<void> {
  if ('closeAllConnections' in server) server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

/** Sends the part of `content` that the request's Range asks for, and breaks the connection after `breakAfter` bytes of it. */
export function sendRange(request: IncomingMessage, response: ServerResponse, content: Buffer, { breakAfter, headers = {} }: { breakAfter?: number; headers?: Record<string, string> } = {}): void {
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const part = content.subarray(start);
  const partial = request.headers.range === undefined ? {} : { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` };
  response.writeHead(request.headers.range === undefined ? 200 : 206, { 'content-length': part.length, ...partial, ...headers });
  if (breakAfter === undefined || breakAfter >= part.length) response.end(part);
  else response.write(part.subarray(0, breakAfter), () => response.destroy());
}
