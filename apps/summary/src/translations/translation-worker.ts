import { Inject, Injectable } from '@nestjs/common';
import { isFinalFailure, stageFailure, type Logger } from '@parlance/platform';
import { CONFIG, LOGGER } from '@parlance/runtime';
import { withinDeadline } from '@parlance/stage';
import type { TaskWorker } from '@parlance/task-queue';
import type { SummaryConfig } from '../summary.config.js';
import { TRANSLATION_ORDERS } from '../work/summary-holdings.js';
import { SummaryStages } from '../work/summary-stages.js';
import type { WorkKey } from '../work/transcript-work.js';
import { workLimits } from '../work/work-stages.js';
import { TranslationWork } from './translation-work.js';

/** Makes the translations that were ordered. */
@Injectable()
export class TranslationWorker {
  constructor(
    @Inject(CONFIG) private readonly config: SummaryConfig,
    @Inject(TranslationWork) private readonly work: TranslationWork,
    @Inject(SummaryStages) private readonly stages: SummaryStages,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  worker(): TaskWorker<WorkKey> {
    return {
      queue: TRANSLATION_ORDERS,
      ...workLimits(this.config),
      deadlineMs: this.deadlineMs,
      isFinal: isFinalFailure,
      perform: ({ payload }, { signal }) => this.perform(payload, signal),
      giveUp: ({ payload }, error) => this.fail(payload, error),
    };
  }

  private get deadlineMs(): number {
    return this.config.TRANSLATION_TIMEOUT_SECONDS * 1000;
  }

  private async perform(key: WorkKey, signal: AbortSignal): Promise<void> {
    try {
      await withinDeadline((inTime) => this.work.perform(key, inTime), { signal, deadlineMs: this.deadlineMs, what: 'The translation' });
    } finally {
      await this.stages.erasure.removeIfErased(key);
    }
  }

  private async fail(key: WorkKey, error: unknown): Promise<'settled'> {
    this.log.warn({ job_id: key.jobId, account_id: key.accountId, err: error }, 'translation failed');
    await this.work.fail(key, stageFailure(error));
    await this.stages.erasure.removeIfErased(key);
    return 'settled';
  }
}
