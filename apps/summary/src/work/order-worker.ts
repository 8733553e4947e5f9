import type { common } from '@parlance/contracts';
import { isFinalFailure, stageFailure, type Logger } from '@parlance/platform';
import { withinDeadline, type JobErasure } from '@parlance/stage';
import type { TaskWorker } from '@parlance/task-queue';
import type { WorkKey } from './transcript-work.js';

interface OrderWorkerParts extends Pick<TaskWorker<WorkKey>, 'queue' | 'retry' | 'capacity' | 'deadlineMs'> {
  /** For errors and the log. */
  name: string;
  work: {
    perform(key: WorkKey, signal: AbortSignal): Promise<unknown>;
    /** Stores the failure after the last try. */
    fail(key: WorkKey, error: common.Failure): Promise<void>;
  };
  erasure: Pick<JobErasure, 'removeIfErased'>;
  log: Logger;
}

/** Makes what was ordered apart from the job, and removes it again when the job was erased meanwhile. */
export function orderWorker({ name, work, erasure, log, ...limits }: OrderWorkerParts): TaskWorker<WorkKey> {
  const { deadlineMs } = limits;
  return {
    ...limits,
    isFinal: isFinalFailure,
    perform: async ({ payload: key }, { signal }) => {
      try {
        await withinDeadline((inTime) => work.perform(key, inTime), { signal, deadlineMs, what: `The ${name}` });
      } finally {
        await erasure.removeIfErased(key);
      }
    },
    giveUp: async ({ payload: key }, error) => {
      log.warn({ job_id: key.jobId, account_id: key.accountId, err: error }, `${name} failed`);
      await work.fail(key, stageFailure(error));
      await erasure.removeIfErased(key);
      return 'settled';
    },
  };
}
