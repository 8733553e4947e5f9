import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@parlance/platform';
import { CONFIG, LOGGER } from '@parlance/runtime';
import type { TaskWorker } from '@parlance/task-queue';
import type { SummaryConfig } from '../summary.config.js';
import { SUMMARY_ORDERS } from '../work/summary-holdings.js';
import { orderWorker } from '../work/order-worker.js';
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
    const { config, work, stages, log } = this;
    return orderWorker({ queue: SUMMARY_ORDERS, ...workLimits(config), name: 'summary', work, erasure: stages.erasure, log });
  }
}
