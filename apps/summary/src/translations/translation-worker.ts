import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@parlance/platform';
import { CONFIG, LOGGER } from '@parlance/runtime';
import type { TaskWorker } from '@parlance/task-queue';
import type { SummaryConfig } from '../summary.config.js';
import { TRANSLATION_ORDERS } from '../work/summary-holdings.js';
import { orderWorker } from '../work/order-worker.js';
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
    const { config, work, stages, log } = this;
    return orderWorker({ queue: TRANSLATION_ORDERS, ...workLimits(config), deadlineMs: config.TRANSLATION_TIMEOUT_SECONDS * 1000, name: 'translation', work, erasure: stages.erasure, log });
  }
}
