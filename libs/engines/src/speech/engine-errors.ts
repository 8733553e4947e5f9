import { isSameLanguage } from '@parlance/languages';
import { AppError } from '@parlance/platform/errors';
import { abortedCall, callTimeout } from '../call-errors.js';

/** The engine did not do its work; `retryable` where another try may go better. */
export const engineFailed = (message: string, options: { retryable?: boolean; retryAfter?: number; cause?: unknown } = {}): AppError =>
  new AppError({ kind: 'unavailable', code: 'engine_failed', message, retryable: true, ...options });

export const engineTimeout = (cause?: unknown): AppError => callTimeout('The speech engine', cause);

export const abortError = (signal: AbortSignal): AppError => abortedCall(signal, engineTimeout, 'The recognition was canceled.');

/** @throws AppError language_unsupported when the tag's primary language is not among the engine's. */
export function requireLanguage(tag: string | undefined, languages: readonly string[]): void {
  if (tag === undefined || languages.some((language) => isSameLanguage(language, tag))) return;
  throw new AppError({
    kind: 'invalid',
    code: 'language_unsupported',
    message: `The speech engine does not support the language '${tag}'; it supports: ${languages.join(', ')}.`,
  });
}
