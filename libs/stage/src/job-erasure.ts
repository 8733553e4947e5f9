import type { events } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import type { TaskQueue, TaskWorker } from '@parlance/task-queue';
import { ErasureRepeats } from './erasure-repeats.js';
import type { JobCancellation } from './job-cancellation.js';
import type { JobTombstones } from './job-tombstones.js';
import type { JobRef } from './stage.js';

/** The data of a job in one service, besides its record. */
export interface Holdings {
  /** As the receipt of the erasure names it, for instance `index_entries`. */
  what: string;
  /** The service, as the receipt names it. */
  where: string;
  count(job: JobRef): Promise<number>;
  /** Idempotent. The record may be gone already. */
  remove(job: JobRef): Promise<void>;
}

interface JobErasureParts {
  /** The ledger of stages; in a service without stages, its tombstones. */
  ledger: Pick<JobTombstones, 'isErased' | 'bury' | 'reportErasure'>;
  /** Only a service with stages has it. */
  cancellation?: Pick<JobCancellation, 'removeTasks'>;
  holdings: Holdings;
  /** For the repeated removals. Without it the service has to make sure by itself that nothing is stored after an erasure. */
  tasks?: Pick<TaskQueue, 'add'>;
  clock: Clock;
}

/**
 * Erases a deleted job: a tombstone takes the place of its record, its tasks are stopped, its holdings are removed, and the receipt
 * is reported. Ingest publishes `job.deleted` again while the receipt lacks a report; then it is reported again.
 *
 * Work that runs meanwhile may store something after the removal. Therefore the erasure writes its tombstone first and removes
 * then, and work stores first and looks for the tombstone then (`removeIfErased`): at least one of the two sees the other. For
 * a process that is killed between these two steps of its work, the holdings are removed again later (`ErasureRepeats`).
 */
export class JobErasure {
  private readonly repeats: ErasureRepeats | undefined;

  constructor(private readonly parts: JobErasureParts) {
    const { holdings, tasks, clock } = parts;
    this.repeats = tasks && new ErasureRepeats({ where: holdings.where, remove: (job) => holdings.remove(job), tasks, clock });
  }

  /** May be called again after a failure anywhere in it. */
  async erase({ jobId, accountId, run = 0, erasureId, occurredAt }: events.JobEvent): Promise<void> {
    const { ledger, cancellation, holdings, clock } = this.parts;
    const job = { jobId, accountId };
    await ledger.bury(job, await holdings.count(job));
    await this.repeats?.add(job);
    await cancellation?.removeTasks({ ...job, run });
    await holdings.remove(job);
    if (erasureId === undefined) return;
    const { what, where } = holdings;
    await ledger.reportErasure(job, occurredAt?.toISOString() ?? '', (count) => [{ type: 'erasure.reported', data: { erasureId, ...job, what, where, count, erasedAt: clock.now() } }]);
  }

  /** Removes the holdings of erased jobs again. */
  workers(): TaskWorker[] {
    return this.repeats ? [this.repeats.worker()] : [];
  }

  /** True for a deleted job: nothing may be stored about it any more. */
  isErased(jobId: string): Promise<boolean> {
    return this.parts.ledger.isErased(jobId);
  }

  /** To be called after everything that stores something about a job. @returns whether the job was deleted */
  async removeIfErased({ jobId, accountId }: JobRef): Promise<boolean> {
    if (!(await this.isErased(jobId))) return false;
    await this.parts.holdings.remove({ jobId, accountId });
    return true;
  }
}
