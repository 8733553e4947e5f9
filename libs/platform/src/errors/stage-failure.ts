import { AppError, toAppError } from './app-error.js';

/** Why a stage of a job failed, as the job's owner reads it. */
export interface StageFailure {
  code: string;
  message: string;
  retryable: boolean;
}

/** Of engines and stores, whose words are written for the job's owner. Whatever else is thrown may name what is inside. */
const PUBLIC_CODES: ReadonlySet<string> = new Set(['engine_failed', 'engine_timeout', 'engine_rate_limited', 'engine_refused', 'language_unsupported', 'storage_full']);

/** The engine said that another try would end alike. */
export const isFinalFailure = (thrown: unknown): boolean => thrown instanceof AppError && !thrown.retryable && PUBLIC_CODES.has(thrown.code);

/** The one rule for every stage: a known code with its words, or `internal`, worth another try, with nothing of what was thrown. */
export function stageFailure(thrown: unknown): StageFailure {
  const { code, message, retryable } = toAppError(thrown);
  if (PUBLIC_CODES.has(code)) return { code, message, retryable };
  return { code: 'internal', message: 'An internal error occurred.', retryable: true };
}
