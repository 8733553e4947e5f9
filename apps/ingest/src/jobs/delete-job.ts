import type { NewEvent } from '@parlance/contracts';
import { announce, type Announcement } from './job-events.js';
import { advance } from './job-state-machine.js';
import { isTerminal, type DeletedJob, type Job } from './job.js';

/** One erasure a job, under an id that follows from it: who lost the answer finds the receipt. */
export const erasureIdOf = (jobId: string): string => `era_${jobId.slice(jobId.indexOf('_') + 1)}`;

/** What stays of the job, with its job.deleted; a job that has not ended is canceled first. */
export function deleteJob(job: Job, now: string): { document: DeletedJob; events: NewEvent[] } {
  const canceled = isTerminal(job.status) ? undefined : advance(job, { type: 'cancel' }, now);
  const last = canceled?.job ?? job;
  const erasureId = erasureIdOf(job.id);
  const deleted: Announcement = { type: 'job.deleted', erasureId };
  return {
    document: { id: job.id, createdAt: job.createdAt, deletedAt: now, erasureId, ...(last.bills && { bills: last.bills, status: 'deleted' as const }) },
    events: [...(canceled?.events ?? []), ...announce({ ...last, revision: last.revision + 1 }, [deleted], now).events],
  };
}
