import { Inject, Injectable } from '@nestjs/common';
import { common, type ingest, type JobService } from '@parlance/contracts';
import { toAppError } from '@parlance/platform';
import { JOB_SERVICE } from '@parlance/runtime';
import { AccountPlans, jobLimits, type PlanLimits } from '../plans/index.js';
import { StorageQuota } from '../uploads/storage-quota.js';
import { KeyBudgets } from '../usage/key-budgets.js';
import { Quota } from '../usage/quota.js';

/** The account and the key that a new job is counted for. */
interface JobMaking {
  accountId: string;
  /** The key that makes it. */
  keyId: string;
}

/** Admits jobs within the plan of their account. */
@Injectable()
export class Admission {
  constructor(
    @Inject(JOB_SERVICE) private readonly jobs: JobService,
    @Inject(Quota) private readonly quota: Quota,
    @Inject(KeyBudgets) private readonly budgets: Pick<KeyBudgets, 'require'>,
    @Inject(StorageQuota) private readonly storage: StorageQuota,
    @Inject(AccountPlans) private readonly plans: AccountPlans,
  ) {}

  /** For media that is fetched later. @throws AppError quota_exhausted, key_budget_exhausted, storage_quota_exhausted */
  async admitUrl({ accountId, keyId }: JobMaking): Promise<void> {
    await this.budgets.require(accountId, keyId);
    await this.quota.require(accountId);
    await this.storage.require(accountId);
  }

  /** Before a file is taken that may be gigabytes. Whether there is still room is asked once more with its job. @throws AppError quota_exhausted, key_budget_exhausted, too_many_jobs */
  async admitUpload({ accountId, keyId }: JobMaking): Promise<void> {
    await this.budgets.require(accountId, keyId);
    await this.quota.require(accountId);
    try {
      await this.jobs.requireRoom({ accountId, limits: await this.limitsOf(accountId) });
    } catch (error) {
      // An ingest of the version before, during an upgrade, knows the question with the job only.
      if (toAppError(error).kind !== 'internal') throw error;
    }
  }

  /** A failed job was not billed for what it transcribed: it is as a new one. Add-ons of a completed one use no seconds. @throws AppError quota_exhausted, key_budget_exhausted, and what ingest refuses it with */
  async retry({ accountId, keyId }: JobMaking, jobId: string, force: boolean): Promise<ingest.Job | undefined> {
    const { job } = await this.jobs.getJob({ accountId, jobId });
    if (job?.status === common.JobStatus.JOB_STATUS_FAILED) {
      await this.budgets.require(accountId, keyId);
      await this.quota.require(accountId);
    }
    return (await this.jobs.retryJob({ accountId, jobId, force, limits: (await this.limitsOf(accountId)) ?? {} })).job;
  }

  async limitsOf(accountId: string): Promise<ingest.JobLimits | undefined> {
    return jobLimits(await this.planLimitsOf(accountId));
  }

  async planLimitsOf(accountId: string): Promise<PlanLimits> {
    return (await this.plans.of(accountId)).limits;
  }
}
