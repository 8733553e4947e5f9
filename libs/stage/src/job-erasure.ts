import type { events } from '@parlance/contracts';
import type { Clock, RetryPolicy } from '@parlance/platform';
import type { Task, TaskQueue, TaskWorker } from '@parlance/task-queue';
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
 * Milliseconds after an erasure at which the holdings are removed again. At the first time every worker has noticed by a heartbeat
 * that its task is gone, or has lost its lease; the second is for one that was paused or whose engine ignored the abort.
 */
const REPEAT_AFTER_MS = [60_000, 60 * 60_000];

const REPEAT_DEADLINE_MS = 10 * 60_000;

const REPEAT_RETRY: RetryPolicy = { maxAttempts: 20, initialDelayMs: 1000, maxDelayMs: 10 * 60_000 };

interface RepeatedErasure extends JobRef {
  /** RFC 3339. */
  erasedAt: string;
}

/**
 * Erases a deleted job: a tombstone takes the place of its record, its tasks are stopped, its holdings are removed, and the receipt
 * is reported. Ingest publishes `job.deleted` again while the receipt lacks a report; then it is reported again.
 *
 * Work that runs meanwhile may store something after the removal. Therefore the erasure writes its tombstone first and removes
 * then, and work stores first and looks for the tombstone then (`removeIfErased`): at least one of the two sees the other. A
 * process that is killed between these two steps of its work leaves a result behind, which no task leads to any more. Therefore
 * the holdings are removed again later, by a task of its own.
 */
export class JobErasure {
  constructor(private readonly parts: JobErasureParts) {}

  /** May be called again after a failure anywhere in it. */
  async erase({ jobId, accountId, run = 0, erasureId, occurredAt }: events.JobEvent): Promise<void> {
    const { ledger, cancellation, holdings, clock } = this.parts;
    const job = { jobId, accountId };
    await ledger.bury(job, await holdings.count(job));
    await this.addRepeats(job);
    await cancellation?.removeTasks({ ...job, run });
    await holdings.remove(job);
    if (erasureId === undefined) return;
    const { what, where } = holdings;
    await ledger.reportErasure(job, occurredAt?.toISOString() ?? '', (count) => [{ type: 'erasure.reported', data: { erasureId, ...job, what, where, count, erasedAt: clock.now() } }]);
  }

  /** Removes the holdings of erased jobs again. */
  workers(): TaskWorker[] {
    if (!this.parts.tasks) return [];
    const worker: TaskWorker<RepeatedErasure> = { queue: this.queue, capacity: 2, deadlineMs: REPEAT_DEADLINE_MS, retry: REPEAT_RETRY, perform: (task) => this.repeat(task) };
    return [worker as TaskWorker];
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

  private async addRepeats({ jobId, accountId }: JobRef): Promise<void> {
    const erasedAt = this.parts.clock.now();
    const payload: RepeatedErasure = { jobId, accountId, erasedAt: erasedAt.toISOString() };
    await this.parts.tasks?.add(this.queue, [{ id: jobId, accountId, payload, ...repeatAt(erasedAt, 0) }]);
  }

  private async repeat({ payload: { jobId, accountId, erasedAt }, notBefore }: Task<RepeatedErasure>): Promise<{ again: Date } | void> {
    await this.parts.holdings.remove({ jobId, accountId });
    const erased = new Date(erasedAt);
    const next = repeatAt(erased, (notBefore ?? erased).getTime() - erased.getTime());
    if (next.notBefore) return { again: next.notBefore };
  }

  /** In the embedded shape, all services share one queue: the name has the service. */
  private get queue(): string {
    return `${this.parts.holdings.where}-erasure`;
  }
}

/** @param dueMs when the repeat before was due, after the erasure */
function repeatAt(erased: Date, dueMs: number): { notBefore?: Date } {
  const next = REPEAT_AFTER_MS.find((afterMs) => afterMs > dueMs);
  return next === undefined ? {} : { notBefore: new Date(erased.getTime() + next) };
}
