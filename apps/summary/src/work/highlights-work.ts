import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@parlance/platform';
import { CLOCK, LOGGER } from '@parlance/runtime';
import { SUMMARY_ENGINE } from '../engine/summary-engine.provider.js';
import type { HighlightsResult, SummaryEngine } from '../engine/summary-engine.js';
import { SpeakerChanges } from '../speakers/speaker-changes.js';
import { TranscriptSource, type VersionedTranscript } from '../transcripts/transcript-source.js';
import { newWork, TranscriptWork, type WorkKey } from './transcript-work.js';
import type { HighlightsDocument } from './work-document.js';
import { WorkDocuments } from './work-documents.js';
import { WorkMetrics } from './work-metrics.js';

/** Makes highlights. */
@Injectable()
export class HighlightsWork extends TranscriptWork<HighlightsDocument> {
  protected readonly name = 'highlights';

  constructor(
    @Inject(WorkDocuments) { highlights }: WorkDocuments,
    @Inject(SUMMARY_ENGINE) private readonly engine: SummaryEngine,
    @Inject(SpeakerChanges) speakerChanges: SpeakerChanges,
    @Inject(TranscriptSource) source: TranscriptSource,
    @Inject(WorkMetrics) metrics: WorkMetrics,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) log: Logger,
  ) {
    super(highlights, speakerChanges, source, metrics, clock, log);
  }

  protected create(key: WorkKey, createdAt: string): HighlightsDocument {
    return newWork(key, createdAt);
  }

  protected make(transcript: VersionedTranscript, _document: HighlightsDocument, signal: AbortSignal): Promise<HighlightsResult> {
    return this.engine.highlight(transcript, signal);
  }
}
