import { AppError, toAppError } from './app-error.js';
import { isReportedBy } from './error-registry.js';

/** Why a stage of a job failed, as the job's owner reads it. */
interface StageFailure {
  code: string;
  message: string;
  retryable: boolean;
}

/** The engine said that another try would end alike. */
export const isFinalFailure = (thrown: unknown): boolean => thrown instanceof AppError && !thrown.retryable && isReportedBy('stage', thrown.code);

/** The one rule for every stage: a known code with its words, or `internal`, worth another try, with nothing of what was thrown. */
export function stageFailure(thrown: unknown): StageFailure {
  const { code, message, retryable } = toAppError(thrown);
  if (isReportedBy('stage', code)) return { code, message, retryable };
  return { code: 'internal', message: 'An internal error occurred.', retryable: true };
}
