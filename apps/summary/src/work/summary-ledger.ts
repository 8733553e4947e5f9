import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import { StageLedger } from '@parlance/stage';
import type { DocumentDatabase } from '@parlance/storage';
import { JOB_INPUTS, type TranscriptInputs } from './summary-record.js';

/** Stores which runs of the stages began and ended, and which of their inputs are there. */
@Injectable()
export class SummaryLedger extends StageLedger<TranscriptInputs> {
  constructor(@Inject(DOCUMENTS) documents: DocumentDatabase, @Inject(CLOCK) clock: Clock) {
    super(documents, JOB_INPUTS, clock);
  }
}
