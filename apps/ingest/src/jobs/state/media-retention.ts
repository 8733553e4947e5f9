import { isUnredacted, type Job } from './job.js';

/** The media of a failed job, and that of a failed redaction, is kept so long for the retry. */
const FAILED_HOURS = 24;

/** Nothing but another file would make these succeed, whatever the plan or the settings are. */
const HOPELESS = new Set(['media_unsupported', 'media_corrupt', 'media_empty', 'media_no_audio', 'media_implausible', 'media_too_many_channels', 'media_sealed_key_unknown', 'media_sealed_key_retired', 'media_sealed_corrupt']);

/** True when the job failed so that another try would fail alike: nothing of it depends on a server that may be back, on the plan or on the settings. */
export const isFinal = ({ error }: Pick<Job, 'error'>): boolean => error !== undefined && !error.retryable && (HOPELESS.has(error.code) || error.code === 'address_forbidden');

/** Hours from the end of the job until its media is removed. @returns undefined when it stays as long as the job */
export function mediaRetentionHours({ status, error, options, source, stages }: Pick<Job, 'status' | 'error' | 'options' | 'source' | 'stages'>): number | undefined {
  const isNotStored = source.kind === 'live' && !source.storeAudio;
  const asked = isNotStored ? 0 : options.mediaRetentionHours;
  const isLeftUnredacted = isUnredacted({ options, stages });
  if (status === 'canceled' && isLeftUnredacted) return 0;
  if (status !== 'failed' && !isLeftUnredacted) return asked;
  if (error && HOPELESS.has(error.code)) return 0;
  return Math.min(asked ?? FAILED_HOURS, FAILED_HOURS);
}

/** Media that was never brought in is still where its address says; the address of what was is kept without what can hold secrets. */
export const canBeHadAgain = ({ mediaRemovedAt, source }: Job): boolean => mediaRemovedAt === undefined || (source.kind === 'url' && !source.fetched);

export const isMediaExpired = ({ mediaExpiresAt }: Pick<Job, 'mediaExpiresAt'>, now: string): boolean => mediaExpiresAt !== undefined && mediaExpiresAt <= now;
