import type { common } from '@parlance/contracts';
import { stageFailure } from '@parlance/platform';

/** Why the stage failed, for the job's owner. */
export function diarizationFailure(thrown: unknown): common.Failure {
  const failure = stageFailure(thrown);
  if (failure.code === 'engine_timeout') return { ...failure, message: 'The speaker diarizer took too long.' };
  if (failure.code === 'internal') return { ...failure, message: 'Diarization failed: an internal error occurred.' };
  return failure;
}

export const RECORDING_UNKNOWN: common.Failure = { code: 'internal', message: 'The recording is not known.', retryable: true };
