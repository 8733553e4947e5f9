import { AppError } from '@parlance/platform/errors';

/** Maps an aborted signal to its error: an AppError given as the reason, a deadline, or a cancellation. */
export function canceledEmbedding(signal: AbortSignal): AppError {
  const reason: unknown = signal.reason;
  if (reason instanceof AppError) return reason;
  if ((reason as { name?: unknown } | null)?.name === 'TimeoutError') return embeddingTimeout(reason);
  return new AppError({ kind: 'canceled', code: 'canceled', message: 'The embedding was canceled.', cause: reason });
}

export const embeddingTimeout = (cause?: unknown): AppError =>
  new AppError({ kind: 'timeout', code: 'engine_timeout', message: 'The embedding engine took too long.', cause });

export const embeddingRateLimited = (retryAfter: number | undefined, cause?: unknown): AppError =>
  new AppError({ kind: 'rate_limited', code: 'engine_rate_limited', message: 'The embedding engine is overloaded.', cause, ...(retryAfter !== undefined && { retryAfter }) });

export const embeddingFailed = (message: string, retryable: boolean, cause?: unknown): AppError =>
  new AppError({ kind: 'unavailable', code: 'engine_failed', message, retryable, cause });
