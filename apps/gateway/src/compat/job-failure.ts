import { common, type ingest } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { statusOf } from '../transcriptions/job-json.js';

/** Failures of a job that are of its file, and not of the server. */
const OF_THE_FILE = /^media_|^language_uncertain$|^file_/;

/** @throws AppError for a job that failed or was canceled */
export function requireTranscript(job: ingest.Job): void {
  if (job.status === common.JobStatus.JOB_STATUS_FAILED) throw failureOf(job.error);
  if (statusOf(job) === 'canceled') throw new AppError({ kind: 'conflict', code: 'invalid_state', message: 'The transcription was canceled.' });
}

function failureOf({ code, message, retryable }: common.Failure = { code: 'internal', message: 'The transcription failed.', retryable: true }): AppError {
  if (!OF_THE_FILE.test(code)) return new AppError({ kind: 'unavailable', code: 'service_unavailable', message, retryable, fields: [{ pointer: '', code, detail: message }] });
  return new AppError({ kind: 'invalid', code: 'invalid_request', message, fields: [{ pointer: '/file', code, detail: message }] });
}
