import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import { ErasureStore } from '../erasure/erasure-store.js';
import { JobStore } from '../state/job-store.js';
import { QUIET_MS } from './report-upkeep.js';
import { about, attempt, type UpkeepStep } from './upkeep-step.js';

/** Publishes `job.deleted` again, in case a service did not receive it, or its report is lost, as after the restore of a backup. */
@Injectable()
export class ErasureUpkeep implements UpkeepStep {
  constructor(
    @Inject(JobStore) private readonly jobs: JobStore,
    @Inject(ErasureStore) private readonly erasures: ErasureStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    for await (const { id, jobId, accountId } of this.erasures.unreported(QUIET_MS)) {
      const fields = about({ id: jobId, accountId });
      await attempt({ log: this.log, signal }, fields, async () => {
        // A receipt is opened before its job is deleted, and the deletion may have failed.
        if (!(await this.jobs.announceDeletionAgain(jobId, accountId))) return;
        this.log.warn(fields, 'an erasure was not reported by all services and was requested again');
        await this.erasures.asked(id);
      });
    }
  }
}
