import { Inject, Injectable } from '@nestjs/common';
import type { ingest, NewEvent } from '@parlance/contracts';
import type { Clock, Logger } from '@parlance/platform';
import { CLOCK, LOGGER } from '@parlance/runtime';
import { SUMMARY_ENGINE } from '../engine/summary-engine.provider.js';
import type { SummaryEngine, SummaryResult } from '../engine/summary-engine.js';
import { SpeakerChanges } from '../speakers/speaker-changes.js';
import { summaryRequestOf } from '../summaries/requested-summary.js';
import { TranscriptSource, type VersionedTranscript } from '../transcripts/transcript-source.js';
import { newWork, TranscriptWork, type WorkKey } from './transcript-work.js';
import { defaultSummaryId, type SummaryDocument } from './work-document.js';
import { WorkDocuments } from './work-documents.js';
import { WorkMetrics } from './work-metrics.js';

/** Makes summaries. */
@Injectable()
export class SummaryWork extends TranscriptWork<SummaryDocument> {
  protected readonly name = 'summary';

  constructor(
    @Inject(WorkDocuments) { summaries }: WorkDocuments,
    @Inject(SUMMARY_ENGINE) private readonly engine: SummaryEngine,
    @Inject(SpeakerChanges) speakerChanges: SpeakerChanges,
    @Inject(TranscriptSource) source: TranscriptSource,
    @Inject(WorkMetrics) metrics: WorkMetrics,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) log: Logger,
  ) {
    super(summaries, speakerChanges, source, metrics, clock, log);
  }

  protected create(key: WorkKey, createdAt: string, job: ingest.Job | undefined): SummaryDocument {
    return { ...newWork(key, createdAt), isDefault: key.id === defaultSummaryId(key.jobId), request: summaryRequestOf(job?.options?.summary) };
  }

  /** The default summary has the present options of the job. */
  protected override renewed(document: SummaryDocument, job: ingest.Job): SummaryDocument {
    return document.isDefault ? { ...document, request: summaryRequestOf(job.options?.summary) } : document;
  }

  /** The end of the default summary is that of its stage. */
  protected override ended({ id: summaryId, jobId, accountId, isDefault, error }: SummaryDocument): NewEvent[] {
    return isDefault ? [] : [{ type: 'summary.finished', data: { jobId, accountId, summaryId, error } }];
  }

  protected make(transcript: VersionedTranscript, { request }: SummaryDocument, signal: AbortSignal): Promise<SummaryResult> {
    return this.engine.summarize(transcript, request, signal);
  }
}
