import { mediaKeys, STAGE, STAGE_STATUS, type ingest } from '@parlance/contracts';
import { AppError } from '@parlance/platform';

/** True for a job whose recording is served without the words that are redacted, or not at all. */
export const hasRedactedAudio = ({ options }: Pick<ingest.Job, 'options'>): boolean => options?.redaction?.audio !== undefined;

/** The key of the recording that is served: of a job whose audio is redacted never that of the original. */
export const recordingKey = (job: ingest.Job): string => {
  const { redacted, source } = mediaKeys(job.accountId, job.jobId);
  return hasRedactedAudio(job) ? redacted(0) : source;
};

/** @throws AppError media_sealed for a recording that its client encrypted */
export function requireClear({ media }: Pick<ingest.Job, 'media'>): void {
  if (media?.sealed) throw new AppError({ code: 'media_sealed', message: 'The recording was encrypted by its client.' });
}

/** @throws AppError invalid_state while the audio of the job is to be redacted, and when that failed */
export function requireRedacted(job: ingest.Job): void {
  const status = job.stages.find(({ stage }) => stage === STAGE.audio_redaction)?.status;
  if (!hasRedactedAudio(job) || job.mediaRemoved || status === STAGE_STATUS.completed) return;
  const isOpen = status === STAGE_STATUS.pending || status === STAGE_STATUS.running;
  const message = isOpen ? 'The recording is not redacted yet.' : 'The recording was not redacted.';
  throw new AppError({ kind: 'conflict', code: 'invalid_state', reason: isOpen ? 'not_ready' : 'no_media', message, retryable: isOpen });
}
