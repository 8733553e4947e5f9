import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import { StageLedger } from '@parlance/stage';
import type { DocumentDatabase } from '@parlance/storage';
import { JOBS, type JobFacts } from './job-record.js';

/** Stores which runs of the stages began and ended, with what transcription knows of the job. */
@Injectable()
export class JobLedger extends StageLedger<JobFacts> {
  constructor(@Inject(DOCUMENTS) documents: DocumentDatabase, @Inject(CLOCK) clock: Clock) {
    super(documents, JOBS, clock);
  }
}
