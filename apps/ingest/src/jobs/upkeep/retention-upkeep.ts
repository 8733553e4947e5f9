import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@parlance/platform';
import { CLOCK, LOGGER } from '@parlance/runtime';
import { JobRequests } from '../job-requests.js';
import { JobStore } from '../state/job-store.js';
import type { Job } from '../state/job.js';
import { ExpiredMedia } from './expired-media.js';
import { about, attempt, type UpkeepStep } from './upkeep-step.js';

const ENDED = ['completed', 'failed', 'canceled'] as const satisfies readonly Job['status'][];

/** Deletes jobs whose retention is over, and media whose retention is over, unless a legal hold keeps them. */
@Injectable()
export class RetentionUpkeep implements UpkeepStep {
  constructor(
    @Inject(JobStore) private readonly jobs: JobStore,
    @Inject(JobRequests) private readonly requests: JobRequests,
    @Inject(ExpiredMedia) private readonly expiredMedia: ExpiredMedia,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    const parts = { log: this.log, signal };
    const lt = new Date(this.clock.now().getTime() + 1).toISOString();
    await attempt(parts, {}, () => this.deleteJobs(lt, signal));
    await attempt(parts, {}, () => this.removeMedia(lt, signal));
  }

  private async deleteJobs(lt: string, signal: AbortSignal): Promise<void> {
    for await (const job of this.endedBefore('expiresAt', lt)) {
      if (await this.requests.isHeld(job)) continue;
      this.log.info(about(job), 'job retention expired');
      await attempt({ log: this.log, signal }, about(job), () => this.requests.erase(job, ({ expiresAt }) => expiresAt !== undefined && expiresAt < lt));
    }
  }

  private async removeMedia(lt: string, signal: AbortSignal): Promise<void> {
    for await (const job of this.endedBefore('mediaExpiresAt', lt)) {
      if (!(await this.requests.isHeld(job))) await attempt({ log: this.log, signal }, about(job), () => this.expiredMedia.erase(job));
    }
  }

  private async *endedBefore(field: 'expiresAt' | 'mediaExpiresAt', lt: string): AsyncGenerator<Job> {
    for (const status of ENDED) yield* this.jobs.all({ where: { status }, range: { field, lt }, orderBy: field, direction: 'ascending' });
  }
}
