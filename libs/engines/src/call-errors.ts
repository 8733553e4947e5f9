import { AppError } from '@parlance/platform/errors';

/** Maps an aborted signal to its error: an AppError given as the reason, a deadline, or a cancellation. */
export function abortedCall(signal: AbortSignal, timeout: (cause: unknown) => AppError, canceled: string): AppError {
  const reason: unknown = signal.reason;
  if (reason instanceof AppError) return reason;
  if ((reason as { name?: unknown } | null)?.name === 'TimeoutError') return timeout(reason);
  return new AppError({ kind: 'canceled', code: 'canceled', message: canceled, cause: reason });
}

/** @param engine begins the message */
export const callTimeout = (engine: string, cause?: unknown): AppError => new AppError({ kind: 'timeout', code: 'engine_timeout', message: `${engine} took too long.`, cause });

/** @param engine begins the message @param retryAfter in seconds */
export const callRateLimited = (engine: string, retryAfter: number | undefined, cause?: unknown): AppError =>
  new AppError({ kind: 'rate_limited', code: 'engine_rate_limited', message: `${engine} is overloaded.`, cause, ...(retryAfter !== undefined && { retryAfter }) });

/** @param retryable true where another try may go better */
export const callFailed = (message: string, retryable: boolean, cause?: unknown): AppError => new AppError({ kind: 'unavailable', code: 'engine_failed', message, retryable, cause });
