import type { NewEvent } from '@parlance/contracts';
import { announce, deletedEvent, type Announcement } from './job-events.js';
import { advance } from './job-state-machine.js';
import { isTerminal, type DeletedJob, type Job } from './job.js';

/** One erasure a job, under an id that follows from it: who lost the answer finds the receipt. */
export const erasureIdOf = (jobId: string): string => `era_${jobId.slice(jobId.indexOf('_') + 1)}`;

/** Returns the tombstone of the job, with its job.deleted; a job that has not ended is canceled first. */
export function deleteJob(job: Job, now: string): { document: DeletedJob; events: NewEvent[] } {
  const canceled = isTerminal(job.status) ? undefined : advance(job, { type: 'cancel' }, now);
  const last = canceled?.job ?? job;
  const erasureId = erasureIdOf(job.id);
  const { status, run, revision, isSealed } = last;
  const deleted: Announcement = { type: 'job.deleted', erasureId };
  return {
    document: { id: job.id, createdAt: job.createdAt, deletedAt: now, erasureId, last: { status, run, revision: revision + 1, ...(isSealed && { isSealed }) }, ...(last.bills && { bills: last.bills, status: 'deleted' as const }) },
    events: [...(canceled?.events ?? []), ...announce({ ...last, revision: revision + 1 }, [deleted], now).events],
  };
}

/** The job's deletion once more, for services that did not receive it. Without `run` it is about all runs. */
export function announceDeletionAgain({ id, erasureId, bills, last }: DeletedJob, accountId: string, now: string): NewEvent {
  const { status = 'canceled', run, revision = 0, isSealed } = last ?? {};
  return { type: 'job.deleted', data: deletedEvent({ id, accountId, status, revision, run, ...(bills && { bills }), ...(isSealed && { isSealed }) }, erasureId, now) };
}
