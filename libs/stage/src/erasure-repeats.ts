import type { Clock, RetryPolicy } from '@parlance/platform';
import type { Task, TaskQueue, TaskWorker } from '@parlance/task-queue';
import type { JobRef } from './stage.js';

interface ErasureRepeatsParts {
  /** The service. */
  where: string;
  /** Removes what the service holds of the job. Idempotent. */
  remove(job: JobRef): Promise<unknown>;
  tasks: Pick<TaskQueue, 'add'>;
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
 * Removes what a service holds of erased jobs again, some time after the erasure, by tasks of its own: a process that is killed
 * between storing something and looking for the job's tombstone leaves it behind, and no other task leads to it any more.
 */
export class ErasureRepeats {
  constructor(private readonly parts: ErasureRepeatsParts) {}

  /** To be called once the job has its tombstone. */
  async add({ jobId, accountId }: JobRef): Promise<void> {
    const erasedAt = this.parts.clock.now();
    const payload: RepeatedErasure = { jobId, accountId, erasedAt: erasedAt.toISOString() };
    await this.parts.tasks.add(this.queue, [{ id: jobId, accountId, payload, ...repeatAt(erasedAt, 0) }]);
  }

  worker(): TaskWorker {
    const worker: TaskWorker<RepeatedErasure> = { queue: this.queue, capacity: 2, deadlineMs: REPEAT_DEADLINE_MS, retry: REPEAT_RETRY, perform: (task) => this.repeat(task) };
    return worker as TaskWorker;
  }

  private async repeat({ payload: { jobId, accountId, erasedAt }, notBefore }: Task<RepeatedErasure>): Promise<{ again: Date } | void> {
    await this.parts.remove({ jobId, accountId });
    const erased = new Date(erasedAt);
    const next = repeatAt(erased, (notBefore ?? erased).getTime() - erased.getTime());
    if (next.notBefore) return { again: next.notBefore };
  }

  /** In the embedded shape, all services share one queue: the name has the service. */
  private get queue(): string {
    return `${this.parts.where}-erasure`;
  }
}

/** @param dueMs when the repeat before was due, after the erasure */
function repeatAt(erased: Date, dueMs: number): { notBefore?: Date } {
  const next = REPEAT_AFTER_MS.find((afterMs) => afterMs > dueMs);
  return next === undefined ? {} : { notBefore: new Date(erased.getTime() + next) };
}
