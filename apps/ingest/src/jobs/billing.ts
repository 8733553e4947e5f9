import type { NewEvent } from '@parlance/contracts';
import { billedMs } from './bill.js';
import type { Job } from './job.js';

/** Follows from job and run, so that whatever is sent or done again is the same entry of the ledger. */
export const usageIdOf = (jobId: string, run: number): string => `use_${jobId.slice(jobId.indexOf('_') + 1)}_${run}`;

/** Milliseconds of the media that are transcribed: those of the chunks that are done. */
export function transcribedMs({ media, chunks, stages }: Job): number {
  const whole = toMs(media?.duration ?? 0);
  const isWhole = stages.transcription.status === 'completed' || (chunks.total > 0 && chunks.count === chunks.total);
  return isWhole ? whole : Math.min(whole, chunks.milliseconds ?? 0);
}

/** Of a chunk that does not say what it stands for, an equal part. */
export const chunkMs = ({ media, chunks }: Job, ownSeconds: number | undefined): number => toMs(ownSeconds ?? (media?.duration ?? 0) / chunks.total);

/** Bills what is transcribed and no earlier run was billed for. @returns the event that says so, if there is anything. */
export function bill(job: Job, now: string): NewEvent[] {
  const before = billedMs(job.bills);
  const milliseconds = transcribedMs(job) - before;
  job.billedSeconds = Math.max(before, before + milliseconds) / 1000;
  if (milliseconds <= 0) return [];
  const { id: jobId, accountId, run, keyId } = job;
  job.bills = [...(job.bills ?? []), { run, milliseconds, billedAt: now }];
  const data = { usageId: usageIdOf(jobId, run), accountId, jobId, run, keyId, operation: 'transcription', milliseconds, day: now.slice(0, 10), occurredAt: new Date(now) };
  return [{ type: 'usage.recorded', data }];
}

const toMs = (seconds: number): number => Math.round(seconds * 1000);
