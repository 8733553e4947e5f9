import { Global, Module } from '@nestjs/common';
import { SERVICE_CONTEXT, type ServiceContext } from '@parlance/runtime';
import { JobErasure, JobTombstones, type Holdings } from '@parlance/stage';
import { Idempotency } from './idempotency.js';
import { RepeatInterceptor } from './repeat.interceptor.js';

/** Requests under an Idempotency-Key, and the erasure of what is stored of them. */
@Global()
@Module({
  providers: [
    Idempotency,
    RepeatInterceptor,
    { provide: JobTombstones, useFactory: ({ documents, clock }: ServiceContext) => new JobTombstones(documents, clock), inject: [SERVICE_CONTEXT] },
    {
      provide: JobErasure,
      useFactory: ({ name, clock }: ServiceContext, ledger: JobTombstones, idempotency: Idempotency) => {
        const holdings: Holdings = { what: 'request_records', where: name, count: (job) => idempotency.count(job), remove: (job) => idempotency.erase(job) };
        // Without repeated removals: a request stores only in its own record while that has its token, which the erasure removes.
        return new JobErasure({ ledger, holdings, clock });
      },
      inject: [SERVICE_CONTEXT, JobTombstones, Idempotency],
    },
  ],
  exports: [Idempotency, JobErasure, JobTombstones, RepeatInterceptor],
})
export class IdempotencyModule {}
