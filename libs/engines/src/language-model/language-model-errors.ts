import { AppError } from '@parlance/platform';

/** Maps an aborted signal to its error: an AppError given as the reason, a deadline, or a cancellation. */
export function canceledGeneration(signal: AbortSignal): AppError {
  const reason: unknown = signal.reason;
  if (reason instanceof AppError) return reason;
  if ((reason as { name?: unknown } | null)?.name === 'TimeoutError') return generationTimeout(reason);
  return new AppError({ kind: 'canceled', code: 'canceled', message: 'The call to the language model was canceled.', cause: reason });
}

export const generationTimeout = (cause?: unknown): AppError =>
  new AppError({ kind: 'timeout', code: 'engine_timeout', message: 'The language model took too long.', cause });

export const generationRateLimited = (retryAfter: number | undefined, cause?: unknown): AppError =>
  new AppError({ kind: 'rate_limited', code: 'engine_rate_limited', message: 'The language model is overloaded.', cause, ...(retryAfter !== undefined && { retryAfter }) });

export const generationFailed = (message: string, retryable: boolean, cause?: unknown): AppError =>
  new AppError({ kind: 'unavailable', code: 'engine_failed', message, retryable, cause });

/** The model does not want to; it would not the next time either. */
export const generationRefused = (): AppError =>
  new AppError({ kind: 'unavailable', code: 'engine_refused', message: 'The language model refused to answer.', retryable: false });
