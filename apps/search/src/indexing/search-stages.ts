import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@parlance/platform';
import { CLOCK, LOGGER, TASK_QUEUE } from '@parlance/runtime';
import { JobStages } from '@parlance/stage';
import type { TaskQueue } from '@parlance/task-queue';
import type { IndexedPassages } from './indexed-job.js';
import { SearchHoldings } from './search-holdings.js';
import { SearchLedger } from './search-ledger.js';
import { SearchStage } from './search-stage.js';

/** Runs the one stage of this service. */
@Injectable()
export class SearchStages extends JobStages<IndexedPassages> {
  constructor(
    @Inject(SearchStage) { definition }: SearchStage,
    @Inject(SearchLedger) ledger: SearchLedger,
    @Inject(SearchHoldings) holdings: SearchHoldings,
    @Inject(TASK_QUEUE) tasks: TaskQueue,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) log: Logger,
  ) {
    super({ group: 'search', stages: [definition], ledger, holdings, tasks, clock, log });
  }
}
