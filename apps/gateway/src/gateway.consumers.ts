import { Inject, Injectable } from '@nestjs/common';
import { typesOn } from '@parlance/contracts';
import { PATIENT_RETRY, type Consumer, type Follower } from '@parlance/event-bus';
import { JobErasure } from '@parlance/stage';
import { JobWatcher } from './transcriptions/job-watcher.js';
import { Quota } from './usage/quota.js';
import { UsageLedger } from './usage/usage-ledger.js';

/** The events that the gateway works on, and those that wake its waiters. */
@Injectable()
export class GatewayConsumers {
  constructor(
    @Inject(JobErasure) private readonly erasure: JobErasure,
    @Inject(Quota) private readonly quota: Quota,
    @Inject(UsageLedger) private readonly ledger: UsageLedger,
    @Inject(JobWatcher) private readonly watcher: JobWatcher,
  ) {}

  consumers(): Consumer[] {
    return [this.jobs(), this.usage()];
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
        'job.failed': ({ event }) => this.quota.ended(event.data),
        'job.canceled': ({ event }) => this.quota.ended(event.data),
        'job.deleted': async ({ event }) => {
          await this.quota.ended(event.data);
          await this.erasure.erase(event.data);
        },
      },
    };
  }

  /** Writes the ledger. What could not be written in all its tries is a dead letter to replay. */
  private usage(): Consumer {
    return {
      group: 'gateway',
      topic: 'parlance.usage.v1',
      retry: PATIENT_RETRY,
      handlers: { 'usage.recorded': ({ event }) => this.ledger.record(event.data) },
    };
  }
}
