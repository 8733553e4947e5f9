import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import { StageLedger } from '@parlance/stage';
import type { DocumentDatabase } from '@parlance/storage';
import { INDEXED_JOBS, type IndexedPassages } from './indexed-job.js';

/** Stores which runs of the stage began and ended, and what the index has of each job. */
@Injectable()
export class SearchLedger extends StageLedger<IndexedPassages> {
  constructor(@Inject(DOCUMENTS) documents: DocumentDatabase, @Inject(CLOCK) clock: Clock) {
    super(documents, INDEXED_JOBS, clock);
  }
}
