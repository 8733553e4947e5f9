import type { events } from '@parlance/contracts';
import type { TaskQueue } from '@parlance/task-queue';
import type { StageLedger } from './stage-ledger.js';
import { taskGroup, type JobRun } from './stage.js';

interface JobCancellationParts {
  ledger: Pick<StageLedger, 'cancel' | 'failRun'>;
  tasks: Pick<TaskQueue, 'removeGroup'>;
  /** The task queues of the service that belong to jobs. */
  queues: readonly string[];
}

/**
 * Stops the stages of a job that is canceled or fails. The ledger is changed first, so that no task that is added or leased
 * from here on begins; then the tasks of the run are removed, which stops those that run: here at once, in other processes at
 * their next heartbeat. What a stopped run had stored stays for a retry, until the job is erased.
 */
export class JobCancellation {
  constructor(private readonly parts: JobCancellationParts) {}

  async canceled({ jobId, accountId, run = 0 }: events.JobEvent): Promise<void> {
    const job = { jobId, accountId, run };
    await this.parts.ledger.cancel(job);
    await this.removeTasks(job);
  }

  /** The job failed in one of its stages, and its others stop. A retry starts a later run. */
  async failed({ jobId, accountId, run = 0 }: events.JobEvent): Promise<void> {
    const job = { jobId, accountId, run };
    await this.parts.ledger.failRun(job);
    await this.removeTasks(job);
  }

  async removeTasks(job: JobRun): Promise<void> {
    const { tasks, queues } = this.parts;
    for (const queue of queues) await tasks.removeGroup(queue, taskGroup(job));
  }
}
