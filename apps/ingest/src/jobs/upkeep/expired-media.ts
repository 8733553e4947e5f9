import { Inject, Injectable } from '@nestjs/common';
import { AccountHolds } from '../../accounts/account-holds.js';
import { JobMedia } from '../../media/job-media.js';
import { JobStore } from '../state/job-store.js';
import type { Job } from '../state/job.js';

/** Removes the media of jobs whose media retention is over, unless a legal hold keeps it. Each step may be repeated: the next round completes what a crash interrupts. */
@Injectable()
export class ExpiredMedia {
  constructor(
    @Inject(JobStore) private readonly jobs: JobStore,
    @Inject(JobMedia) private readonly media: JobMedia,
    @Inject(AccountHolds) private readonly holds: Pick<AccountHolds, 'of'>,
  ) {}

  async erase({ id: jobId, accountId }: Job): Promise<void> {
    // It is removed when the hold has ended: its time has come already.
    if (await this.holds.of(accountId)) return;
    const job = await this.jobs.apply(jobId, { type: 'media_expired' });
    if (job?.mediaRemovedAt === undefined) return;
    await this.media.removeAll({ accountId, jobId });
    await this.jobs.apply(jobId, { type: 'media_erased' });
  }
}
