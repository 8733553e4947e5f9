import type { common } from '@parlance/contracts';
import { isReportedBy, type AppError } from '@parlance/platform';

/** The error as the job's owner sees it. */
export function ingestFailure({ code, kind, message, retryable }: AppError): common.Failure {
  if (isReportedBy('media', code) || isReportedBy('intake', code)) return { code, message, retryable };
  // It was waited for as long as an outage is: the operator has to give more room.
  if (code === 'scratch_busy') return { code: 'storage_full', message, retryable };
  if (kind === 'timeout') return { code: 'media_timeout', message: 'The media could not be downloaded and decoded within the time allowed.', retryable: true };
  return { code: 'internal', message: 'An internal error occurred.', retryable: true };
}
