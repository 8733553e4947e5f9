import type { IncomingMessage } from 'node:http';
import { AppError } from '@parlance/platform';

/** The minimum pace of an upload. */
export interface UploadPace {
  /** Milliseconds that any upload has, beside what its size gives it. */
  startMs: number;
  /** The minimum average of the whole upload. */
  minBytesPerSecond: number;
  /** Milliseconds without a byte. */
  stallMs: number;
}

/** Milliseconds; timers take no more. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
/** At an upload within the time that it may stand still. */
const CHECKS = 4;

/** Milliseconds in which so many bytes must have arrived. */
export const uploadTimeMs = ({ startMs, minBytesPerSecond }: UploadPace, bytes: number): number =>
  Math.min(MAX_TIMEOUT_MS, Math.ceil(startMs + (bytes / minBytesPerSecond) * 1000));

interface UploadWatch {
  /** Aborted with an AppError request_timeout. */
  signal: AbortSignal;
  stop(): void;
}

/** Watches a body arrive. @param maxBytes what it may have when it does not say how long it is */
export function watchUpload(request: IncomingMessage, pace: UploadPace, maxBytes: number): UploadWatch {
  const watch = new AbortController();
  const abort = (message: string) => {
    if (!request.complete) watch.abort(new AppError({ kind: 'invalid', code: 'request_timeout', message, retryable: true }));
  };
  const declared = Number(request.headers['content-length'] ?? maxBytes);
  const whole = setTimeout(() => abort('The upload exceeded its time limit.'), uploadTimeMs(pace, Math.min(declared, maxBytes)));
  let seen = -1;
  let looksInVain = 0;
  // Looks are counted and not the time: while this process is held up, bytes may wait that it has not read.
  const look = setInterval(() => {
    const { bytesRead } = request.socket;
    // Bytes that wait here have come: then it is not the caller who is slow.
    looksInVain = bytesRead !== seen || request.readableLength > 0 ? 0 : looksInVain + 1;
    seen = bytesRead;
    if (looksInVain === CHECKS) abort(`The upload sent no data for ${pace.stallMs / 1000} seconds.`);
  }, pace.stallMs / CHECKS);
  const stop = () => {
    clearTimeout(whole);
    clearInterval(look);
  };
  watch.signal.addEventListener('abort', stop);
  return { signal: watch.signal, stop };
}
