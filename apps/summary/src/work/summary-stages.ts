import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@parlance/platform';
import { CLOCK, LOGGER, TASK_QUEUE } from '@parlance/runtime';
import { JobStages } from '@parlance/stage';
import type { TaskQueue } from '@parlance/task-queue';
import { SummaryHoldings } from './summary-holdings.js';
import { SummaryLedger } from './summary-ledger.js';
import type { TranscriptInputs } from './summary-record.js';
import { WorkStages } from './work-stages.js';

/** Runs the stages of this service. */
@Injectable()
export class SummaryStages extends JobStages<TranscriptInputs> {
  constructor(
    @Inject(WorkStages) { definitions }: WorkStages,
    @Inject(SummaryLedger) ledger: SummaryLedger,
    @Inject(SummaryHoldings) holdings: SummaryHoldings,
    @Inject(TASK_QUEUE) tasks: TaskQueue,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) log: Logger,
  ) {
    super({ group: 'summary', stages: definitions, ledger, holdings, tasks, clock, log });
  }
}
