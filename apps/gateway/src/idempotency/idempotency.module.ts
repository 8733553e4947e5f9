import { Global, Module } from '@nestjs/common';
import { SERVICE_CONTEXT, type ServiceContext } from '@parlance/runtime';
import { JobErasure, JobTombstones, type Holdings } from '@parlance/stage';
import { BatchRecords } from '../batches/batch-records.js';
import { BatchStoreModule } from '../batches/batch-store.module.js';
import { Idempotency } from './idempotency.js';
import { RepeatInterceptor } from './repeat.interceptor.js';

/** Requests under an Idempotency-Key, and the erasure of what is stored of them. */
@Global()
@Module({
  imports: [BatchStoreModule],
  providers: [
    Idempotency,
    RepeatInterceptor,
    { provide: JobTombstones, useFactory: ({ documents, clock }: ServiceContext) => new JobTombstones(documents, clock), inject: [SERVICE_CONTEXT] },
    {
      provide: JobErasure,
      useFactory: ({ name, clock }: ServiceContext, ledger: JobTombstones, idempotency: Idempotency, batches: BatchRecords) => {
        const holdings: Holdings = {
          what: 'request_records',
          where: name,
          count: async (job) => (await idempotency.count(job)) + (await batches.countOf(job.jobId)),
          remove: async (job) => {
            await idempotency.erase(job);
            await batches.eraseJob(job.jobId);
          },
        };
        // Without repeated removals: a request stores only in its own record while that has its token, which the erasure removes, and the item of a batch stays deleted.
        return new JobErasure({ ledger, holdings, clock });
      },
      inject: [SERVICE_CONTEXT, JobTombstones, Idempotency, BatchRecords],
    },
  ],
  exports: [Idempotency, JobErasure, JobTombstones, RepeatInterceptor],
})
export class IdempotencyModule {}
