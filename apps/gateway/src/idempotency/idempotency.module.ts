import { Module } from '@nestjs/common';
import { SERVICE_CONTEXT, type ServiceContext } from '@parlance/runtime';
import { JobErasure, JobTombstones, type Holdings } from '@parlance/stage';
import { Idempotency } from './idempotency.js';

/** Requests under an Idempotency-Key, and the erasure of what is stored of them. */
@Module({
  providers: [
    Idempotency,
    {
      provide: JobErasure,
      useFactory: ({ name, documents, clock }: ServiceContext, idempotency: Idempotency) => {
        const holdings: Holdings = { what: 'request_records', where: name, count: ({ jobId }) => idempotency.count(jobId), remove: ({ jobId }) => idempotency.erase(jobId) };
        // Without repeated removals: a request stores only in its own record while that has its token, which the erasure removes.
        return new JobErasure({ ledger: new JobTombstones(documents, clock), holdings, clock });
      },
      inject: [SERVICE_CONTEXT, Idempotency],
    },
  ],
  exports: [Idempotency, JobErasure],
})
export class IdempotencyModule {}
