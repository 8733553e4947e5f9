import { isSameLanguage } from '@parlance/languages';
import { AppError } from '@parlance/platform/errors';

/** The engine did not do its work; `retryable` where another try may go better. */
export const engineFailed = (message: string, options: { retryable?: boolean; retryAfter?: number; cause?: unknown } = {}): AppError =>
  new AppError({ kind: 'unavailable', code: 'engine_failed', message, retryable: true, ...options });

export const engineTimeout = (cause?: unknown): AppError =>
  new AppError({ kind: 'timeout', code: 'engine_timeout', message: 'The speech engine took too long.', cause });

/** Maps an aborted signal to its error: an AppError given as the reason, a deadline, or a cancellation. */
export function abortError(signal: AbortSignal): AppError {
  const reason: unknown = signal.reason;
  if (reason instanceof AppError) return reason;
  if ((reason as { name?: unknown } | null)?.name === 'TimeoutError') return engineTimeout(reason);
  return new AppError({ kind: 'canceled', code: 'canceled', message: 'The recognition was canceled.', cause: reason });
}

/** @throws AppError language_unsupported when the tag's primary language is not among the engine's. */
export function requireLanguage(tag: string | undefined, languages: readonly string[]): void {
  if (tag === undefined || languages.some((language) => isSameLanguage(language, tag))) return;
  throw new AppError({
    kind: 'invalid',
    code: 'language_unsupported',
    message: `The speech engine does not support the language '${tag}'; it supports: ${languages.join(', ')}.`,
  });
}
