import { Inject, Injectable } from '@nestjs/common';
import type { AccountService } from '@parlance/contracts';
import type { Logger } from '@parlance/platform';
import { ACCOUNT_SERVICE, LOGGER } from '@parlance/runtime';
import { JobStore } from './state/job-store.js';
import { isLiveOpen, type Job } from './state/job.js';

const TIMEOUT_MS = 2000;

/** Asks the gateway, which keeps the sessions, how much audio an open one has taken. */
@Injectable()
export class LiveAudio {
  constructor(
    @Inject(ACCOUNT_SERVICE) private readonly accounts: Pick<AccountService, 'getLiveAudio'>,
    @Inject(JobStore) private readonly jobs: Pick<JobStore, 'apply'>,
    @Inject(LOGGER) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** Notes it at the job, which is billed for it even if its recording is never decoded. While the gateway does not answer, the session or the job ends all the same. */
  async note({ id: jobId, accountId, ...job }: Job): Promise<void> {
    if (!isLiveOpen(job)) return;
    try {
      const { milliseconds } = await this.accounts.getLiveAudio({ accountId, jobId }, { timeoutMs: TIMEOUT_MS });
      await this.jobs.apply(jobId, { type: 'live_audio_taken', milliseconds });
    } catch (error) {
      this.log.warn({ err: error, job_id: jobId, account_id: accountId }, 'the gateway did not answer how much audio a live session took; it is not billed if its recording is not decoded');
    }
  }
}
