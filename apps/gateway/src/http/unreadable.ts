import type { Duplex } from 'node:stream';
import { AppError } from '@parlance/platform';
import { describeProblem, type RefusedRequest } from './problem.js';
import type { ProblemCode } from './problem-catalogue.js';
import { MAX_HEAD_BYTES } from './request-head.js';

const UNREADABLE: Record<string, { status: string; code: ProblemCode; message: string }> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', code: 'request_timeout', message: 'The request did not arrive in time.' },
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', code: 'head_too_large', message: `The request head has more than ${MAX_HEAD_BYTES} bytes.` },
};

const NO_HTTP = { status: '400 Bad Request', code: 'malformed_request', message: 'The request could not be read.' } as const;

/** Milliseconds that a client has to take the answer: a connection that is destroyed at once loses it when bytes are unread. */
const LINGER_MS = 1000;

/** Answers on the socket when the input is not HTTP, or came too slowly: there is no request object. Then closes it, also when the client does not. */
export function refuseUnreadable(error: Error & { code?: string }, socket: Duplex, { id, publicUrl }: Pick<RefusedRequest, 'id' | 'publicUrl'>): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable) return void socket.destroy();
  const { status, code, message } = UNREADABLE[error.code ?? ''] ?? NO_HTTP;
  const refusal = new AppError({ kind: 'invalid', code, message, retryable: code === 'request_timeout' });
  const { problem, headers } = describeProblem(refusal, { path: '/', id, publicUrl });
  const body = JSON.stringify(problem);
  const all = { connection: 'close', 'x-request-id': id, ...headers, 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
  // Node sets no time limit for a connection that sent a CONNECT, and reads it no longer.
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger)).resume();
}
