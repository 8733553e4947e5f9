import type { MediaAnswer } from './media-server.js';

/** A well-behaved server with ranges and a strong ETag. `breakAfter`: each answer breaks off after so many bytes of it. */
export function content(body: Buffer, { type = 'application/octet-stream', breakAfter = Infinity }: { type?: string; breakAfter?: number } = {}): MediaAnswer {
  return (request, response) => {
    const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1];
    const part = body.subarray(Number(asked ?? 0));
    const range = asked === undefined ? {} : { 'content-range': `bytes ${asked}-${body.length - 1}/${body.length}` };
    response.writeHead(asked === undefined ? 200 : 206, { 'content-type': type, 'content-length': part.length, etag: '"v1"', ...range });
    if (part.length <= breakAfter) response.end(part);
    else response.write(part.subarray(0, breakAfter), () => response.destroy());
  };
}

/** States a length that is not the body's. */
export const liesAboutLength = (body: Buffer, stated: number): MediaAnswer => (_request, response) => {
  // Node refuses a body that is longer than stated, so this one is written by hand.
  response.socket?.end(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${stated}\r\nconnection: close\r\n\r\n`), body]));
};

/** Sends the first bytes and then nothing, on every try; the connection stays open. */
export const stallsAfter = (body: Buffer, bytes: number): MediaAnswer => (_request, response) => {
  response.writeHead(200, { 'content-length': body.length, etag: '"v1"' });
  response.write(body.subarray(0, bytes));
};

/** Answers once it is released, so that a job stays in its fetch while a test does what must come before. */
export const heldUntil = (released: Promise<void>, answer: MediaAnswer): MediaAnswer => (...exchange) => void released.then(() => answer(...exchange));

/** Takes the request and says nothing at all. */
export const saysNothing: MediaAnswer = () => undefined;

export const redirectsTo = (location: string, status = 302): MediaAnswer => (_request, response) => {
  response.writeHead(status, { location }).end();
};

export const answers = (status: number, body: string, type: string): MediaAnswer => (_request, response) => {
  response.writeHead(status, { 'content-type': type }).end(body);
};
