import type { Job } from './job.js';

/** A failed job's media is kept so long for its retry. */
const FAILED_HOURS = 24;

/** Nothing but another file would make these succeed, whatever the plan or the settings are. */
const HOPELESS = new Set(['media_unsupported', 'media_corrupt', 'media_empty', 'media_no_audio', 'media_implausible', 'media_too_many_channels']);

/** True when the job failed so that another try would fail alike: nothing of it depends on a server that may be back, on the plan or on the settings. */
export const isFinal = ({ error }: Pick<Job, 'error'>): boolean => error !== undefined && !error.retryable && (HOPELESS.has(error.code) || error.code === 'address_forbidden');

/** Hours from the end of the job until its media is removed. @returns undefined when it stays as long as the job */
export function mediaRetentionHours({ status, error, options, source }: Pick<Job, 'status' | 'error' | 'options' | 'source'>): number | undefined {
  const isNotStored = source.kind === 'live' && !source.storeAudio;
  const asked = isNotStored ? 0 : options.mediaRetentionHours;
  if (status !== 'failed') return asked;
  if (error && HOPELESS.has(error.code)) return 0;
  return Math.min(asked ?? FAILED_HOURS, FAILED_HOURS);
}

/** Media that was never brought in is still where its address says; the address of what was is kept without what can hold secrets. */
export const canBeHadAgain = ({ mediaRemovedAt, source }: Job): boolean => mediaRemovedAt === undefined || (source.kind === 'url' && !source.fetched);

export const isMediaExpired = ({ mediaExpiresAt }: Pick<Job, 'mediaExpiresAt'>, now: string): boolean => mediaExpiresAt !== undefined && mediaExpiresAt <= now;
