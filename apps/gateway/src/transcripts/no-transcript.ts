import { AppError } from '@parlance/platform';

/** @param mayCome whether the job is still at work on it */
export const noTranscript = (mayCome: boolean) =>
  new AppError({
    kind: 'conflict',
    code: 'invalid_state',
    reason: mayCome ? 'not_ready' : 'no_transcript',
    message: mayCome ? 'The transcript is not ready yet.' : 'The job ended without a transcript.',
    retryable: mayCome,
  });
