import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@parlance/platform';
import { CLOCK, LOGGER, TASK_QUEUE } from '@parlance/runtime';
import { JobStages } from '@parlance/stage';
import type { TaskQueue } from '@parlance/task-queue';
import { SpeakerLedger } from './speaker-ledger.js';
import type { SpeakerFacts } from './speaker-record.js';
import { SpeakerResults } from './speaker-results.js';
import { SpeakerStage } from './speaker-stage.js';

/** Runs the one stage of this service. */
@Injectable()
export class SpeakerStages extends JobStages<SpeakerFacts> {
  constructor(
    @Inject(SpeakerStage) { definition }: SpeakerStage,
    @Inject(SpeakerLedger) ledger: SpeakerLedger,
    @Inject(SpeakerResults) holdings: SpeakerResults,
    @Inject(TASK_QUEUE) tasks: TaskQueue,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) log: Logger,
  ) {
    super({ group: 'diarization', stages: [definition], ledger, holdings, tasks, clock, log });
  }
}
