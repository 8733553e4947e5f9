import { Inject, Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { JobService } from '@parlance/contracts';
import { toAppError } from '@parlance/platform';
import { JOB_SERVICE } from '@parlance/runtime';
import type { FastifyRequest } from 'fastify';
import { from, switchMap, type Observable } from 'rxjs';
import { requireClear } from './sealed-jobs.js';

/** Jobs that an instance remembers as not sealed, which no job changes after its creation. Nest makes an instance for each module. */
const MAX_KNOWN = 10_000;

/** Refuses an operation on a sealed job. `Serves` gives it to every one on a job but those whose definition says `isForSealed`: a new one is refused until it says so. */
@Injectable()
export class SealedInterceptor implements NestInterceptor {
  private readonly clear = new Set<string>();

  constructor(@Inject(JOB_SERVICE) private readonly jobs: Pick<JobService, 'getJob'>) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { params, caller } = context.switchToHttp().getRequest<FastifyRequest>();
    const { job_id: jobId } = params as { job_id: string };
    if (!caller || this.clear.has(jobId)) return next.handle();
    return from(this.check(caller.accountId, jobId)).pipe(switchMap(() => next.handle()));
  }

  /** A job that there is not is the handler's to refuse. @throws AppError sealed */
  private async check(accountId: string, jobId: string): Promise<void> {
    try {
      const { job } = await this.jobs.getJob({ accountId, jobId });
      if (job) requireClear(job);
    } catch (error) {
      if (toAppError(error).kind !== 'not_found') throw error;
      return;
    }
    if (this.clear.size >= MAX_KNOWN) this.clear.clear();
    this.clear.add(jobId);
  }
}
