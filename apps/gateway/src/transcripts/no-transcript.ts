import type { ingest } from '@parlance/contracts';
import { AppError, toAppError } from '@parlance/platform';
import { isTerminal, statusOf } from '../transcriptions/job-json.js';

/** @param mayCome whether the job is still at work on it */
export const noTranscript = (mayCome: boolean) =>
  new AppError({
    kind: 'conflict',
    code: 'invalid_state',
    reason: mayCome ? 'not_ready' : 'no_transcript',
    message: mayCome ? 'The transcript is not ready yet.' : 'The job ended without a transcript.',
    retryable: mayCome,
  });

/** Gives the requested transcript. @throws AppError invalid_state where there is none */
export async function orNoTranscript<T>(job: ingest.Job, found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (toAppError(error).kind !== 'not_found') throw error;
    throw noTranscript(!isTerminal(statusOf(job)));
  }
}
