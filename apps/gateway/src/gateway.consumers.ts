import { Inject, Injectable } from '@nestjs/common';
import { typesOn, type EventData } from '@parlance/contracts';
import { PATIENT_RETRY, type Consumer, type Delivery, type Follower } from '@parlance/event-bus';
import { JobErasure } from '@parlance/stage';
import type { TaskWorker } from '@parlance/task-queue';
import { ExportWorker } from './account-exports/export-worker.js';
import { AccountEraser } from './accounts/account-eraser.js';
import { BatchProgress } from './batches/batch-progress.js';
import { BatchWorker } from './batches/batch-worker.js';
import { JobWatcher } from './transcriptions/job-watcher.js';
import { KeyBudgets } from './usage/key-budgets.js';
import { Quota, type EndedRun } from './usage/quota.js';
import { UsageLedger } from './usage/usage-ledger.js';

/** The events after which a job has another state. */
const JOB_CHANGES = ['job.created', 'job.started', 'job.completed', 'job.failed', 'job.canceled'] as const;
type JobChange = (typeof JOB_CHANGES)[number];

const MAX_JOB_EVENTS_AT_ONCE = 32;

/** The events that the gateway works on, and those that wake its waiters. */
@Injectable()
export class GatewayConsumers {
  constructor(
    @Inject(JobErasure) private readonly erasure: JobErasure,
    @Inject(Quota) private readonly quota: Quota,
    @Inject(UsageLedger) private readonly ledger: UsageLedger,
    @Inject(KeyBudgets) private readonly budgets: KeyBudgets,
    @Inject(JobWatcher) private readonly watcher: JobWatcher,
    @Inject(BatchProgress) private readonly batches: BatchProgress,
    @Inject(BatchWorker) private readonly batchWorker: BatchWorker,
    @Inject(ExportWorker) private readonly exports: Pick<ExportWorker, 'worker'>,
    @Inject(AccountEraser) private readonly eraser: Pick<AccountEraser, 'worker'>,
  ) {}

  consumers(): Consumer[] {
    return [this.jobs(), this.batchItems(), this.usage()];
  }

  workers(): TaskWorker[] {
    return [this.batchWorker.worker(), this.eraser.worker(), this.exports.worker(), ...this.erasure.workers()];
  }

  followers(): Follower[] {
    const wake = (event: { data: { jobId: string } }) => this.watcher.news(event.data.jobId);
    return [
      { topic: 'parlance.jobs.v1', handlers: Object.fromEntries(typesOn('parlance.jobs.v1').map((type) => [type, wake])) },
      { topic: 'parlance.chunk-results.v1', handlers: { 'chunk.transcribed': wake } },
    ];
  }

  private jobs(): Consumer {
    return {
      group: 'gateway',
      topic: 'parlance.jobs.v1',
      handlers: {
        'job.failed': ({ event }) => this.release(event.data),
        'job.canceled': ({ event }) => this.release(event.data),
        'job.deleted': async ({ event }) => {
          await this.release(event.data);
          await this.erasure.erase(event.data);
        },
      },
    };
  }

  /** Releases what a run reserved that was not billed; otherwise the ledger's entry takes its place. */
  private async release({ accountId, jobId, run = Infinity, billed }: EndedRun): Promise<void> {
    await this.quota.ended({ accountId, jobId, run, billed });
    if (!billed) await this.budgets.release(accountId, { jobId, run });
  }

  private async record(usage: EventData<'usage.recorded'>): Promise<void> {
    await this.ledger.record(usage);
    await this.budgets.release(usage.accountId, usage);
  }

  /** A group of its own: what a batch waits for holds up no quota. */
  private batchItems(): Consumer {
    const changed: Consumer['handlers'] = Object.fromEntries(JOB_CHANGES.map((type) => [type, ({ event }: Delivery<JobChange>) => this.batches.jobChanged(event.data)]));
    return {
      group: 'gateway-batches',
      topic: 'parlance.jobs.v1',
      concurrency: MAX_JOB_EVENTS_AT_ONCE,
      handlers: { ...changed, 'job.progressed': ({ event }) => this.batches.jobProgressed(event.data) },
    };
  }

  /** Writes the ledger. What could not be written in all its tries is a dead letter to replay. */
  private usage(): Consumer {
    return {
      group: 'gateway',
      topic: 'parlance.usage.v1',
      retry: PATIENT_RETRY,
      handlers: { 'usage.recorded': ({ event }) => this.record(event.data) },
    };
  }
}
