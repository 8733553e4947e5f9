import { billFailure } from './billing.js';
import { begin, end, finish, type Draft, type Input } from './job-draft.js';
import type { Announcement } from './job-events.js';
import { isAwaitingSealing, isOpenStage, type Job } from './job.js';

/** From here on the content is erased: only the sealed result is left of it. */
export function resultSealed({ job, announcements }: Draft, now: string): boolean {
  if (!isAwaitingSealing(job) || job.sealedAt !== undefined) return false;
  begin(job.stages.sealing, now);
  job.sealedAt = now;
  announcements.push({ type: 'job.content_erased' });
  return true;
}

/** There is nothing to seal any more. What is left of the content is erased, as of any sealed job that failed. */
export function sealingFailed({ job, announcements, requests }: Draft, { error }: Input<'sealing_failed'>, now: string): boolean {
  if (!isAwaitingSealing(job) || job.sealedAt !== undefined) return false;
  end(job.stages.sealing, 'failed', now, undefined, error);
  job.error = error;
  requests.push(...billFailure(job, error, now));
  finish(job, 'failed', now);
  announcements.push({ type: 'job.failed' });
  return true;
}

/** The key of the content and the media are destroyed. A job whose result is sealed is completed by this. */
export function contentErased({ job }: Draft, now: string): boolean {
  const isSealing = job.sealedAt !== undefined && isOpenStage(job.stages.sealing);
  if (!job.isSealed || (!isSealing && job.mediaRemovedAt !== undefined)) return false;
  job.mediaRemovedAt ??= now;
  delete job.mediaExpiresAt;
  if (isSealing) end(job.stages.sealing, 'completed', now);
  return true;
}

/** A sealed job that ends without a result leaves no clear text for a retry. */
export function announceErasure(before: Job, job: Job, announcements: Announcement[]): void {
  const hasEnded = job.status === 'failed' || job.status === 'canceled';
  if (job.isSealed && hasEnded && before.status !== job.status) announcements.push({ type: 'job.content_erased' });
}
