import { ApiError, isTransient, ParlanceError } from './errors.js';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 8000;
/** A server that wants a longer pause gets no retry: the caller decides. */
const MAX_RETRY_AFTER_MS = 60_000;

/** Milliseconds before the next attempt, or undefined where there is none. */
export function pauseBefore(attempt: number, error: unknown, random = Math.random): number | undefined {
  if (!isRetried(error)) return undefined;
  const wanted = error instanceof ApiError ? retryAfter(error.headers) : undefined;
  if (wanted !== undefined) return wanted > MAX_RETRY_AFTER_MS ? undefined : wanted + random() * FIRST_PAUSE_MS * Math.min(wanted, 1);
  return Math.min(FIRST_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS) * (0.5 + random() / 2);
}

function isRetried(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 'idempotency_in_flight' || (isTransient(error.status) && error.retryable);
  return error instanceof ParlanceError && error.retryable;
}

/** Milliseconds that `Retry-After` asks for, as seconds or as a date. */
export function retryAfter(headers: Headers, now = Date.now()): number | undefined {
  const value = headers.get('retry-after');
  if (!value) return undefined;
  const milliseconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(milliseconds) ? undefined : Math.max(milliseconds, 0);
}

/** Waits. @throws the reason of the signal */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
  });
}
