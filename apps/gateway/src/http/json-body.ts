import { AppError } from '@parlance/platform';
import type { IncomingMessage } from 'node:http';
import { invalidFields } from './field-errors.js';
import { jsonOverrun, MAX_NESTING } from './json-bounds.js';

const PIECE_BYTES = 64 * 1024;

interface JsonBounds {
  maxBytes: number;
  maxValues: number;
  /** Milliseconds within which all of it must have arrived. */
  timeoutMs: number;
  /** Stops the reading. */
  signal?: AbortSignal;
}

/**
 * Reads a JSON body, after the caller was let in. A larger one is refused at its declared length or, without one, at the
 * first byte too many, and never held. An empty body is undefined.
 * @throws AppError payload_too_large, malformed_json, request_timeout; invalid_request for more values or nesting than any body has
 */
export async function readJsonBody(request: IncomingMessage, { maxBytes, maxValues, timeoutMs }: JsonBounds): Promise<unknown> {
  const pieces = await readPieces(request, { maxBytes, timeoutMs });
  return parseJson(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces), { maxValues });
}

/** @throws AppError malformed_json; invalid_request for more values or nesting than any body has */
export function parseJson(bytes: Buffer, { maxValues }: Pick<JsonBounds, 'maxValues'>): unknown {
  const overrun = jsonOverrun(bytes, maxValues);
  if (overrun) throw invalidFields([{ pointer: '', code: overrun, detail: overrunText(overrun, maxValues) }]);
  const text = decode(bytes);
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformed('The body is not valid JSON.', cause);
  }
}

/** Reads a body of any kind, in pieces of 64 KiB and more, and a last one: a client may send it byte by byte. @throws AppError payload_too_large, request_timeout; malformed_json when it breaks off; the reason of the signal */
export function readPieces(request: IncomingMessage, { maxBytes, timeoutMs, signal }: Omit<JsonBounds, 'maxValues'>): Promise<Buffer[]> {
  if (Number(request.headers['content-length']) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let [small, smallBytes]: [Buffer[], number] = [[], 0];
    let size = 0;
    const join = () => {
      if (smallBytes > 0) pieces.push(small.length === 1 && small[0] ? small[0] : Buffer.concat(small));
      [small, smallBytes] = [[], 0];
    };
    const settle = (error?: Error) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      if (error) return reject(error);
      join();
      resolve(pieces);
    };
    const onData = (piece: Buffer) => {
      size += piece.length;
      if (size > maxBytes) return settle(tooLarge(maxBytes));
      small.push(piece);
      smallBytes += piece.length;
      if (smallBytes >= PIECE_BYTES) join();
    };
    const onEnd = () => settle();
    const onClose = () => settle(malformed('The connection ended before the body was complete.'));
    const onAbort = () => settle(signal?.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    const timer = setTimeout(() => settle(timedOut()), timeoutMs);
    request.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

const overrunText = (overrun: 'too_long' | 'too_deep', maxValues: number): string =>
  overrun === 'too_long' ? `A body may contain at most ${maxValues} values.` : `A body may nest objects and lists at most ${MAX_NESTING} deep.`;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw malformed('The body is not UTF-8.', cause);
  }
}

const malformed = (message: string, cause?: unknown) => new AppError({ kind: 'invalid', code: 'malformed_json', message, cause });
const timedOut = () => new AppError({ kind: 'invalid', code: 'request_timeout', message: 'The body did not arrive within the time limit.', retryable: true });
const tooLarge = (maxBytes: number) => new AppError({ kind: 'too_large', code: 'payload_too_large', message: `A JSON body may have at most ${maxBytes} bytes.` });
