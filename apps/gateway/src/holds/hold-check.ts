import { Inject, Injectable, Module } from '@nestjs/common';
import type { AccountWorkService, JobService } from '@parlance/contracts';
import { AppError, toAppError, type Clock } from '@parlance/platform';
import { ACCOUNT_WORK_SERVICE, CLOCK, JOB_SERVICE } from '@parlance/runtime';

/** Finds whether a legal hold keeps what this service removes by itself, or what it asks another service to remove, beside whole jobs. */
@Injectable()
export class HoldCheck {
  constructor(
    @Inject(ACCOUNT_WORK_SERVICE) private readonly work: Pick<AccountWorkService, 'getAccountHold'>,
    @Inject(JOB_SERVICE) private readonly jobs: Pick<JobService, 'getJob'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @param what is to be deleted, as the subject of a sentence. @throws AppError legal_hold while the account, or the job, is held */
  async requireNone(what: string, accountId: string, jobId?: string): Promise<void> {
    if (await this.isHeld(accountId, jobId)) throw new AppError({ code: 'legal_hold', message: `${what} is under a legal hold and cannot be deleted.` });
  }

  async isHeld(accountId: string, jobId?: string): Promise<boolean> {
    if ((await this.work.getAccountHold({ accountId })).hold) return true;
    return jobId !== undefined && this.isJobHeld(accountId, jobId);
  }

  /** A hold that has ended by itself may still be in the job. */
  private async isJobHeld(accountId: string, jobId: string): Promise<boolean> {
    try {
      const hold = (await this.jobs.getJob({ accountId, jobId })).job?.legalHold;
      return hold !== undefined && (hold.until === undefined || hold.until > this.clock.now());
    } catch (error) {
      if (toAppError(error).kind !== 'not_found') throw error;
      return false;
    }
  }
}

@Module({ providers: [HoldCheck], exports: [HoldCheck] })
export class HoldCheckModule {}
