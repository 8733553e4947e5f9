import { Inject, Injectable } from '@nestjs/common';
import { isFinalFailure, stageFailure, type Logger } from '@parlance/platform';
import { CONFIG, LOGGER } from '@parlance/runtime';
import { withinDeadline } from '@parlance/stage';
import type { TaskWorker } from '@parlance/task-queue';
import type { SummaryConfig } from '../summary.config.js';
import { SUMMARY_ORDERS } from '../work/summary-holdings.js';
import { SummaryStages } from '../work/summary-stages.js';
import { SummaryWork } from '../work/summary-work.js';
import type { WorkKey } from '../work/transcript-work.js';
import { workLimits } from '../work/work-stages.js';

/** Makes the summaries that were ordered. */
@Injectable()
export class SummaryOrderWorker {
  constructor(
    @Inject(CONFIG) private readonly config: SummaryConfig,
    @Inject(SummaryWork) private readonly work: SummaryWork,
    @Inject(SummaryStages) private readonly stages: SummaryStages,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  worker(): TaskWorker<WorkKey> {
    return {
      queue: SUMMARY_ORDERS,
      ...workLimits(this.config),
      isFinal: isFinalFailure,
      perform: ({ payload }, { signal }) => this.perform(payload, signal),
      giveUp: ({ payload }, error) => this.fail(payload, error),
    };
  }

  private async perform(key: WorkKey, signal: AbortSignal): Promise<void> {
    const { deadlineMs } = workLimits(this.config);
    try {
      await withinDeadline((inTime) => this.work.perform(key, inTime), { signal, deadlineMs, what: 'The summary' });
    } finally {
      await this.stages.erasure.removeIfErased(key);
    }
  }

  private async fail(key: WorkKey, error: unknown): Promise<'settled'> {
    this.log.warn({ job_id: key.jobId, account_id: key.accountId, err: error }, 'summary failed');
    await this.work.fail(key, stageFailure(error));
    await this.stages.erasure.removeIfErased(key);
    return 'settled';
  }
}
