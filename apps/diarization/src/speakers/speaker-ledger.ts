import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import { StageLedger } from '@parlance/stage';
import type { DocumentDatabase } from '@parlance/storage';
import { JOBS, type SpeakerFacts } from './speaker-record.js';

/** Stores which runs of the stage began and ended, with what diarization knows of the job. */
@Injectable()
export class SpeakerLedger extends StageLedger<SpeakerFacts> {
  constructor(@Inject(DOCUMENTS) documents: DocumentDatabase, @Inject(CLOCK) clock: Clock) {
    super(documents, JOBS, clock);
  }
}
