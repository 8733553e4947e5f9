import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '@parlance/platform';
import { compatFormOf } from '../compat/compat-form.js';
import type { RefusedRequest } from './problem.js';
import { describeRefusal, pathOf } from './refusal.js';
import type { ProblemCode } from './problem-catalogue.js';
import { MAX_HEAD_BYTES } from './request-head.js';

const UNREADABLE: Record<string, { status: string; code: ProblemCode; message: string }> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', code: 'request_timeout', message: 'The request did not arrive in time.' },
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', code: 'head_too_large', message: `The request head has more than ${MAX_HEAD_BYTES} bytes.` },
};

const NO_HTTP = { status: '400 Bad Request', code: 'malformed_request', message: 'The request could not be read.' } as const;

/** Milliseconds that a client has to take the answer: a connection that is destroyed at once loses it when bytes are unread. */
const LINGER_MS = 1000;

interface UnreadableRequest extends Pick<RefusedRequest, 'id' | 'publicUrl'> {
  /** The URL that a request's URL stands for. */
  routedUrl: (url: string) => string;
  /** The answer to the last request of the connection whose head could be read. */
  last?: ServerResponse | undefined;
}

/** Bytes of a packet in which its request line is searched for a path. */
const LINE_BYTES = 500;
const REQUEST_LINE = /^[A-Z]{3,10} (\/[!-~]*)/;

/** The URL that a packet begins with, as far as it can be read. */
const requestedUrl = (packet: unknown): string | undefined => (Buffer.isBuffer(packet) ? REQUEST_LINE.exec(packet.subarray(0, LINE_BYTES).toString('latin1'))?.[1] : undefined);

/** Answers on the socket when the input is not HTTP, or came too slowly: there is no request object. Then closes it, also when the client does not. */
export function refuseUnreadable(error: Error & { code?: string; rawPacket?: unknown }, socket: Duplex, request: UnreadableRequest): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable) return void socket.destroy();
  const { last } = request;
  const hasBegun = last?.headersSent && !last.writableFinished;
  // An answer that has begun is cut off: another one would be in the middle of it.
  socket.end(hasBegun ? '' : refusalOf(error, request));
  // Node sets no time limit for a connection that sent a CONNECT, and reads it no longer.
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger)).resume();
}

/** The whole answer, in the form that the clients of the path read. */
function refusalOf({ code: fault = '', rawPacket }: { code?: string; rawPacket?: unknown }, { id, publicUrl, routedUrl, last }: UnreadableRequest): string {
  const { status, code, message } = UNREADABLE[fault] ?? NO_HTTP;
  const refusal = new AppError({ kind: 'invalid', code, message, retryable: code === 'request_timeout' });
  const path = pathOf(routedUrl(requestedUrl(rawPacket) ?? last?.req.url ?? '/'));
  const { headers, body: answer } = describeRefusal(refusal, { path: compatFormOf(path) ? path : '/', id, publicUrl });
  const body = JSON.stringify(answer);
  const all = { connection: 'close', 'x-request-id': id, ...headers, 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`;
}
