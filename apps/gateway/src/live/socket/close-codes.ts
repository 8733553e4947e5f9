import { httpStatusOf, isErrorCode, toAppError } from '@parlance/platform';
import type { ServerMessageOf } from '@parlance/contracts';
import { present } from '../../http/schema.js';
import { describeProblem } from '../../http/problem.js';
import { SequenceTaken } from '../recognition/lasting-log.js';

/** Close codes of RFC 6455, section 7.4.1, and of its registry. */
export const CLOSE = { normal: 1000, restart: 1012, tryLater: 1013 } as const;

/** Codes from 4000 to 4999 are for the application: ours are the HTTP status of the error. */
const APPLICATION = 4000;
const STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404, 408, 409, 410, 413, 415, 422, 429]);
/** The code to close a connection with, after an error. */
export function closeCodeOf(thrown: unknown): number {
  if (thrown instanceof SequenceTaken) return CLOSE.restart;
  const { code, kind } = toAppError(thrown);
  if (kind === 'payment_required') return APPLICATION + 429;
  if (kind === 'unsupported_media') return APPLICATION + 415;
  const status = isErrorCode(code) ? httpStatusOf(code) : 500;
  if (STATUSES.has(status)) return APPLICATION + status;
  return status === 503 ? CLOSE.tryLater : APPLICATION + 500;
}

/** The last message before a connection is closed with an error. */
export function errorMessage(thrown: unknown, requestId: string): ServerMessageOf<'error'> {
  if (thrown instanceof SequenceTaken) return { type: 'error', code: 'service_unavailable', message: 'The session has changed meanwhile. Connect again.', retryable: true, request_id: requestId };
  const error = toAppError(thrown);
  const { problem } = describeProblem(error, { path: '', id: requestId });
  return present({
    type: 'error' as const,
    code: error.kind === 'unsupported_media' ? error.code : problem.code,
    message: error.message,
    retryable: problem.retryable,
    retry_after_ms: error.retryAfter === undefined ? undefined : error.retryAfter * 1000,
    request_id: requestId,
  });
}
