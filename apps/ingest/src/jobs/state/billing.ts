import type { common, NewEvent } from '@parlance/contracts';
import { isReportedBy } from '@parlance/platform';
import { billedMs } from './bill.js';
import type { Job } from './job.js';

/** Follows from job and run, so that whatever is sent or done again is the same entry of the ledger. */
export const usageIdOf = (jobId: string, run: number): string => `use_${jobId.slice(jobId.indexOf('_') + 1)}_${run}`;

/** Seconds of audio that the engines transcribe of a recording, which are what it is billed: its length, once for each channel that is split. */
export const audioSeconds = ({ duration, splitChannels = 1 }: Pick<common.Media, 'duration' | 'splitChannels'>): number => duration * splitChannels;

/** Milliseconds of the media that are transcribed: those of the chunks that are done. */
function transcribedMs({ media, chunks, stages }: Job): number {
  const whole = media ? toMs(audioSeconds(media)) : 0;
  const isWhole = stages.transcription.status === 'completed' || (chunks.total > 0 && chunks.count === chunks.total);
  return isWhole ? whole : Math.min(whole, chunks.milliseconds ?? 0);
}

/**
 * Returns the milliseconds that the job is billed once it has ended: what is transcribed, which of a completed one is all of it, or what was decoded, where
 * its caller canceled it after that or its media failed ({@link billFailure}).
 */
export const billableMs = (job: Job): number => Math.max(transcribedMs(job), job.decodedMilliseconds ?? 0);

/** A chunk that does not state its length counts as an equal part. */
export const chunkMs = ({ media, chunks }: Job, ownSeconds: number | undefined): number => toMs(ownSeconds ?? (media ? audioSeconds(media) : 0) / chunks.total);

/** Bills what no earlier run was billed for. @returns the event that says so, if there is anything. */
export function bill(job: Job, now: string): NewEvent[] {
  const before = billedMs(job.bills);
  const milliseconds = billableMs(job) - before;
  job.billedSeconds = Math.max(before, before + milliseconds) / 1000;
  if (milliseconds <= 0) return [];
  const { id: jobId, accountId, run, keyId, projectId } = job;
  job.bills = [...(job.bills ?? []), { run, milliseconds, billedAt: now }];
  const data = { usageId: usageIdOf(jobId, run), accountId, jobId, run, keyId, projectId, operation: 'transcription', milliseconds, day: now.slice(0, 10), occurredAt: new Date(now) };
  return [{ type: 'usage.recorded', data }];
}

/** So much of media that cannot be transcribed is decoded for nothing: most files that are broken show it sooner. */
const FREE_DECODING_MS = 60_000;

/** A failed job is billed nothing, but for media whose fault shows only after much was decoded: it would cost hours of work each time it is sent. */
export function billFailure(job: Job, error: common.Failure, now: string): NewEvent[] {
  const isOfMedia = isReportedBy('media', error.code);
  if (isOfMedia && (job.decodedMilliseconds ?? 0) > FREE_DECODING_MS) return bill(job, now);
  job.billedSeconds = billedMs(job.bills) / 1000;
  return [];
}

export const toMs = (seconds: number): number => Math.round(seconds * 1000);
