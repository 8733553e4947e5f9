import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@parlance/platform';
import { CLOCK, LOGGER } from '@parlance/runtime';
import { SUMMARY_ENGINE } from '../engine/summary-engine.provider.js';
import type { ChaptersResult, SummaryEngine } from '../engine/summary-engine.js';
import { SpeakerChanges } from '../speakers/speaker-changes.js';
import { TranscriptSource, type VersionedTranscript } from '../transcripts/transcript-source.js';
import { newWork, TranscriptWork, type WorkKey } from './transcript-work.js';
import type { ChaptersDocument } from './work-document.js';
import { WorkDocuments } from './work-documents.js';
import { WorkMetrics } from './work-metrics.js';

/** Divides transcripts into chapters. */
@Injectable()
export class ChaptersWork extends TranscriptWork<ChaptersDocument> {
  protected readonly name = 'chapters';

  constructor(
    @Inject(WorkDocuments) { chapters }: WorkDocuments,
    @Inject(SUMMARY_ENGINE) private readonly engine: SummaryEngine,
    @Inject(SpeakerChanges) speakerChanges: SpeakerChanges,
    @Inject(TranscriptSource) source: TranscriptSource,
    @Inject(WorkMetrics) metrics: WorkMetrics,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) log: Logger,
  ) {
    super(chapters, speakerChanges, source, metrics, clock, log);
  }

  protected create(key: WorkKey, createdAt: string): ChaptersDocument {
    return newWork(key, createdAt);
  }

  protected make(transcript: VersionedTranscript, _document: ChaptersDocument, signal: AbortSignal): Promise<ChaptersResult> {
    return this.engine.divide(transcript, signal);
  }
}
