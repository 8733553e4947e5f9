import { Inject, Injectable } from '@nestjs/common';
import { continueTrace } from '@parlance/platform';
import { TASK_QUEUE } from '@parlance/runtime';
import { isBackground, taskGroup, type JobRun } from '@parlance/stage';
import type { NewTask, TaskQueue } from '@parlance/task-queue';
import type { Job } from '../state/job.js';

/** A download mostly waits and decoding keeps a core busy: each has a queue, and places, of its own. */
export const FETCH_QUEUE = 'ingest-fetch';
export const DECODE_QUEUE = 'ingest-decode';
/** Sealing waits for no decoder: until it is done, the text of the job is in clear. */
export const SEAL_QUEUE = 'ingest-seal';

type IngestQueue = typeof FETCH_QUEUE | typeof DECODE_QUEUE | typeof SEAL_QUEUE;

/** The task queues of ingest. A run of a job has one task at a time: it is fetched, then decoded; a sealed one is sealed at its end. */
@Injectable()
export class IngestQueues {
  constructor(@Inject(TASK_QUEUE) private readonly tasks: Pick<TaskQueue, 'add' | 'removeGroup'>) {}

  /** Does nothing about a run that waits or is at work already. */
  async addJobs(jobs: readonly Job[]): Promise<void> {
    for (const queue of [FETCH_QUEUE, DECODE_QUEUE] as const) {
      await this.tasks.add(queue, jobs.filter((job) => firstQueue(job) === queue).map((job) => ({ ...taskOf({ ...job, jobId: job.id }, job.options), traceparent: continueTrace(job.traceparent) })));
    }
  }

  async add(queue: IngestQueue, run: JobRun, options?: Job['options']): Promise<void> {
    await this.tasks.add(queue, [taskOf(run, options)]);
  }

  /** Stops what runs too: in this process at once, in others at the next heartbeat. */
  async remove(run: Pick<JobRun, 'jobId' | 'run'>): Promise<void> {
    for (const queue of [FETCH_QUEUE, DECODE_QUEUE, SEAL_QUEUE]) await this.tasks.removeGroup(queue, taskGroup(run));
  }
}

const firstQueue = ({ source }: Job): IngestQueue => (source.kind === 'url' && !source.fetched ? FETCH_QUEUE : DECODE_QUEUE);

const taskOf = ({ jobId, accountId, run }: JobRun, options: Job['options'] | undefined): NewTask<JobRun> => {
  const group = taskGroup({ jobId, run });
  return { id: group, accountId, group, isBackground: isBackground(options), payload: { jobId, accountId, run } };
};
