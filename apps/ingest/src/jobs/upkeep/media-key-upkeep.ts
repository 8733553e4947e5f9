import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import { SealedUploads } from '../../media/sealed/sealed-uploads.js';
import { JobStore } from '../state/job-store.js';
import { attempt, type UpkeepStep } from './upkeep-step.js';

/** Rotates the keys that clients encrypt recordings to, and destroys those that no job needs any more. */
@Injectable()
export class MediaKeyUpkeep implements UpkeepStep {
  constructor(
    @Inject(SealedUploads) private readonly uploads: Pick<SealedUploads, 'ring'>,
    @Inject(JobStore) private readonly jobs: Pick<JobStore, 'all'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    const { ring } = this.uploads;
    if (!ring.isAvailable) return;
    const parts = { log: this.log, signal };
    await attempt(parts, {}, async () => {
      if (await ring.isRotationDue()) this.log.info({ media_key: (await ring.rotate()).id }, 'media key rotated');
    });
    for (const { pair, endedAt } of await ring.ended()) {
      await attempt(parts, {}, async () => {
        if (await this.isNeeded(endedAt, signal)) return;
        await ring.destroy(pair);
        this.log.info({ media_key: pair.id }, 'private media key destroyed');
      });
    }
  }

  /** True while a job that was created before this time may still decode its recording: it has not ended, or it failed and can be retried. */
  private async isNeeded(endedAt: Date, signal: AbortSignal): Promise<boolean> {
    const before = endedAt.toISOString();
    // Failed ones before and after the open ones: a job may fail, or be retried, between two lists.
    return (await this.hasFailed(before)) || (await this.hasOpen(before, signal)) || (await this.hasFailed(before));
  }

  private async hasOpen(before: string, signal: AbortSignal): Promise<boolean> {
    for await (const { createdAt, source } of this.jobs.all({ where: { open: true }, direction: 'ascending' })) {
      signal.throwIfAborted();
      if (createdAt < before && source.kind !== 'live') return true;
    }
    return false;
  }

  /** True for jobs that have their recording, also beyond its time under a legal hold. */
  private async hasFailed(before: string): Promise<boolean> {
    const kept = { where: { status: 'failed' }, range: { field: 'mediaExpiresAt', gte: '' }, orderBy: 'mediaExpiresAt', direction: 'ascending' } as const;
    for await (const { createdAt } of this.jobs.all(kept)) if (createdAt < before) return true;
    return false;
  }
}
