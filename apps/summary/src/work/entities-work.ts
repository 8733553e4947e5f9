import { Inject, Injectable } from '@nestjs/common';
import type { transcripts } from '@parlance/contracts';
import type { Clock, Logger } from '@parlance/platform';
import { CLOCK, LOGGER } from '@parlance/runtime';
import { SUMMARY_ENGINE } from '../engine/summary-engine.provider.js';
import type { EntitiesResult, SummaryEngine } from '../engine/summary-engine.js';
import { SpeakerChanges } from '../speakers/speaker-changes.js';
import { TranscriptSource, type VersionedTranscript } from '../transcripts/transcript-source.js';
import { placedEntities } from './entity-places.js';
import { newWork, TranscriptWork, type WorkKey } from './transcript-work.js';
import type { EntitiesDocument } from './work-document.js';
import { WorkDocuments } from './work-documents.js';
import { WorkMetrics } from './work-metrics.js';

/** More do not fit into one document and one answer. */
const MAX_ENTITIES = 10_000;
const TRUNCATED = { code: 'entities_truncated', message: `The transcript has more entities than are kept: the first ${MAX_ENTITIES.toLocaleString('en-US')} are.` };

/** Finds the entities of transcripts, and the words that they are. */
@Injectable()
export class EntitiesWork extends TranscriptWork<EntitiesDocument> {
  protected readonly name = 'entities';

  constructor(
    @Inject(WorkDocuments) { entities }: WorkDocuments,
    @Inject(SUMMARY_ENGINE) private readonly engine: SummaryEngine,
    @Inject(SpeakerChanges) speakerChanges: SpeakerChanges,
    @Inject(TranscriptSource) private readonly placing: TranscriptSource,
    @Inject(WorkMetrics) metrics: WorkMetrics,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) log: Logger,
  ) {
    super(entities, speakerChanges, placing, metrics, clock, log);
  }

  protected create(key: WorkKey, createdAt: string): EntitiesDocument {
    return newWork(key, createdAt);
  }

  /** Reads the words first, about 20 MB for ten hours of speech, so that a change of the transcript during the search does not discard its result. */
  protected async make(transcript: VersionedTranscript, document: EntitiesDocument, signal: AbortSignal): Promise<EntitiesResult> {
    const segments: transcripts.Segment[] = [];
    for await (const segment of this.placing.segments(document, transcript, signal)) segments.push(segment);
    const { entities: found, ...result } = await this.engine.findEntities(transcript, signal);
    const warnings = found.length > MAX_ENTITIES ? [...result.warnings, TRUNCATED] : result.warnings;
    const entities = await placedEntities(found.slice(0, MAX_ENTITIES), segments, signal);
    return { ...result, warnings, entities };
  }
}
