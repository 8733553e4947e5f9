import { common, type ingest } from '@parlance/contracts';
import { AppError, ERRORS, isErrorCode } from '@parlance/platform';
import { statusOf } from '../transcriptions/job-json.js';

/** Failures of a job that are of its file, and not of the server. */
const OF_THE_FILE = /^media_|^language_uncertain$|^file_/;

/** The part of the request that is wrong, by the code of the failure. */
const PARTS: Readonly<Record<string, string>> = { language_unsupported: '/language', model_unknown: '/model', address_forbidden: '/url' };

/** @throws AppError for a job that failed or was canceled */
export function requireTranscript(job: ingest.Job): void {
  if (job.status === common.JobStatus.JOB_STATUS_FAILED) throw failureOf(job.error);
  if (statusOf(job) === 'canceled') throw new AppError({ kind: 'conflict', code: 'invalid_state', message: 'The transcription was canceled.' });
}

function failureOf({ code, message, retryable }: common.Failure = { code: 'internal', message: 'The transcription failed.', retryable: true }): AppError {
  const kind = isErrorCode(code) ? ERRORS[code].kind : undefined;
  if (OF_THE_FILE.test(code)) return invalidPart('/file', code, message);
  // The duration is known only after the file was read. The refusal is the one that a new job would get.
  if (isErrorCode(code) && kind === 'payment_required') return new AppError({ code, message, retryable: false });
  if (kind === 'invalid') return invalidPart(PARTS[code] ?? '', code, message);
  return new AppError({ kind: 'unavailable', code: 'service_unavailable', message, retryable, fields: [{ pointer: '', code, detail: message }] });
}

const invalidPart = (pointer: string, code: string, message: string): AppError => new AppError({ kind: 'invalid', code: 'invalid_request', message, fields: [{ pointer, code, detail: message }] });
