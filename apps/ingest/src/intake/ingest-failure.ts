import type { common } from '@parlance/contracts';
import type { AppError } from '@parlance/platform';
import { isMediaErrorCode } from '../media/index.js';

/** Codes of the public contract that bringing media in can end with. */
const PUBLIC = new Set(['address_forbidden', 'storage_full', 'engine_failed', 'engine_timeout', 'quota_exhausted', 'internal']);

/** The error as the job's owner sees it. */
export function ingestFailure({ code, kind, message, retryable }: AppError): common.Failure {
  if (isMediaErrorCode(code) || PUBLIC.has(code)) return { code, message, retryable };
  if (kind === 'timeout') return { code: 'media_timeout', message: 'The media could not be brought in within the time allowed.', retryable: true };
  return { code: 'internal', message: 'An internal error occurred.', retryable: true };
}
