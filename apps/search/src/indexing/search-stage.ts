import { Inject, Injectable } from '@nestjs/common';
import { common, type EventData } from '@parlance/contracts';
import type { TextEmbedder } from '@parlance/engines';
import { DEFAULT_RETRY, isOutage, type Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import { defineStage, runOf, type JobRun, type StageDefinition, type StageResult } from '@parlance/stage';
import { TO_EMBED, type IndexedPassages } from './indexed-job.js';
import { TEXT_EMBEDDER } from './text-embedder.provider.js';
import { TranscriptIndexer } from './transcript-indexer.js';

/** Milliseconds: ten hours of talk take a minute with an engine over the network. */
export const INDEXING_DEADLINE_MS = 10 * 60_000;

/** Milliseconds to index without the engine. */
const WORDS_ALONE_MS = 60_000;

/** Transcripts indexed at once in this process. */
const CONCURRENCY = 4;

/** Makes a transcript searchable. While the embedding engine fails, the transcript is found by its words; `EmbeddingRenewal` adds the vectors later. */
@Injectable()
export class SearchStage {
  readonly definition: StageDefinition<IndexedPassages>;

  constructor(
    @Inject(TranscriptIndexer) private readonly indexer: TranscriptIndexer,
    @Inject(TEXT_EMBEDDER) embedder: TextEmbedder,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.definition = defineStage<IndexedPassages>({
      name: 'search',
      stage: common.Stage.STAGE_SEARCH,
      engine: embedder.info.name,
      startsOn: { 'transcript.completed': runOfClear, 'stage.requested': runOf },
      perform: (job, { signal }) => this.perform(job, signal),
      failed: (job) => this.byWordsAlone(job),
      deadlineMs: INDEXING_DEADLINE_MS,
      retry: DEFAULT_RETRY,
      capacity: CONCURRENCY,
    });
  }

  private async perform(job: JobRun, signal: AbortSignal): Promise<StageResult<IndexedPassages> | undefined> {
    const indexed = await this.indexer.index(job, signal);
    this.log.info({ job_id: job.jobId, account_id: job.accountId, run: job.run, ...indexed }, indexed ? 'transcript indexed' : 'transcript deleted before it was indexed');
    return indexed && { facts: indexed };
  }

  /** @throws an outage, which the task queue waits for: the transcript would not be found at all */
  private byWordsAlone(job: JobRun): Promise<IndexedPassages | undefined> {
    const marked = (indexed: IndexedPassages | undefined) => indexed && { ...indexed, embedder: TO_EMBED };
    return this.indexer.index(job, AbortSignal.timeout(WORDS_ALONE_MS), false).then(marked, (error: unknown) => {
      if (isOutage(error)) throw error;
      this.log.warn({ job_id: job.jobId, err: error }, 'transcript not indexed by its words either');
      return undefined;
    });
  }
}

/** The index has texts in clear, so it never gets that of a sealed job, which ingest skips the stage of. */
const runOfClear = (event: EventData<'transcript.completed'>): JobRun | undefined => (event.options?.resultKey === undefined ? runOf(event) : undefined);
