import { Global, Module } from '@nestjs/common';
import { SERVICE_CONTEXT, type ServiceContext } from '@parlance/runtime';
import { JobErasure, JobTombstones, type Holdings } from '@parlance/stage';
import { AccountStoreModule } from '../accounts/account-store.module.js';
import { BatchRecords } from '../batches/batch-records.js';
import { BatchStoreModule } from '../batches/batch-store.module.js';
import { ShareLinks } from '../links/share-links.js';
import { LiveRecords } from '../live/session/live-records.js';
import { LiveStoreModule } from '../live/session/live-store.module.js';
import { Idempotency } from './idempotency.js';
import { RepeatInterceptor } from './repeat.interceptor.js';

/** Requests under an Idempotency-Key, and the erasure of what is stored of them. */
@Global()
@Module({
  imports: [AccountStoreModule, BatchStoreModule, LiveStoreModule],
  providers: [
    Idempotency,
    RepeatInterceptor,
    { provide: JobTombstones, useFactory: ({ documents, clock }: ServiceContext) => new JobTombstones(documents, clock), inject: [SERVICE_CONTEXT] },
    {
      provide: JobErasure,
      useFactory: ({ name, clock, tasks }: ServiceContext, ledger: JobTombstones, idempotency: Idempotency, batches: BatchRecords, links: ShareLinks, live: LiveRecords) => {
        const holdings: Holdings = {
          what: 'request_records',
          where: name,
          count: async (job) => (await idempotency.count(job)) + (await batches.countOf(job.jobId)) + (await links.countOf(job.jobId)) + (await live.countOf(job.jobId)),
          remove: async (job) => {
            await idempotency.erase(job);
            await batches.eraseJob(job.jobId);
            await links.eraseJob(job.jobId);
            await live.eraseJob(job.jobId);
          },
        };
        return new JobErasure({ ledger, holdings, tasks, clock });
      },
      inject: [SERVICE_CONTEXT, JobTombstones, Idempotency, BatchRecords, ShareLinks, LiveRecords],
    },
  ],
  exports: [Idempotency, JobErasure, JobTombstones, RepeatInterceptor],
})
export class IdempotencyModule {}
