import { Inject, Injectable } from '@nestjs/common';
import { pause, toAppError, type Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import { EmbeddingEngines } from './embedding-engines.js';
import { GrowingPauses } from './growing-pauses.js';
import { TO_REBUILD } from './indexed-job.js';
import { IndexedJobs } from './indexed-jobs.js';
import { SearchStages } from './search-stages.js';
import { TranscriptIndexer } from './transcript-indexer.js';
import { WaitingTranscripts } from './waiting-transcripts.js';

/** The interval, in milliseconds, at which requests of the operator are polled. */
const POLL_INTERVAL_MS = 60_000;

/** Milliseconds between two tries of the same transcript at most. A transcript that the engine never accepts costs no more than this. */
const MAX_PAUSE_MS = 60 * 60_000;

/**
 * Reindexes, one after the other, transcripts with vectors of another engine after the engine was changed, those that an operator
 * requests, and those that have no vectors because the engine failed. Until all transcripts of an account are done, the account is searched by words. A failure after a change of the engine is
 * tried again at the next start, a failure of an operator's request at the next poll. Two processes may do the same work, with the same result.
 */
@Injectable()
export class EmbeddingRenewal {
  private readonly stopped = new AbortController();
  private readonly waiting: WaitingTranscripts;
  private running: Promise<void> | undefined;

  constructor(
    @Inject(IndexedJobs) private readonly jobs: IndexedJobs,
    @Inject(EmbeddingEngines) private readonly engines: EmbeddingEngines,
    @Inject(TranscriptIndexer) private readonly indexer: TranscriptIndexer,
    @Inject(SearchStages) private readonly stages: SearchStages,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.waiting = new WaitingTranscripts(jobs, new GrowingPauses(POLL_INTERVAL_MS, MAX_PAUSE_MS));
  }

  start(): void {
    this.running = this.work();
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.running;
  }

  private async work(): Promise<void> {
    const { signal } = this.stopped;
    const unlessStopped = (message: string) => (error: unknown) => {
      if (!signal.aborted) this.log.warn({ err: error }, message);
    };
    await this.renewAll().catch(unlessStopped('transcripts of another embedding engine are not reindexed yet; the next start continues'));
    while (!signal.aborted) {
      await this.renew(TO_REBUILD, 'an operator requested reindexing of the transcripts').catch(unlessStopped('transcripts are not reindexed yet'));
      await this.waiting.round(({ id, accountId }) => this.renewed(id, accountId)).catch(unlessStopped('transcripts have no vectors yet'));
      await pause(POLL_INTERVAL_MS, signal, { ref: false });
    }
  }

  private async renewAll(): Promise<void> {
    for (const engine of await this.engines.otherEngines()) {
      await this.renew(engine, 'the embedding engine changed: transcripts are reindexed, and their accounts are searched by words until that is done');
    }
  }

  private async renew(engine: string, reason: string): Promise<void> {
    const transcripts = await this.jobs.count(engine);
    if (transcripts === 0) return;
    this.log.warn({ engine, transcripts }, reason);
    let failed = 0;
    for await (const { document } of this.jobs.ofEngine(engine)) if (!(await this.renewed(document.id, document.accountId))) failed += 1;
    this.log.info({ engine, transcripts, failed }, 'transcripts reindexed');
  }

  private async renewed(jobId: string, accountId: string): Promise<boolean> {
    const { signal } = this.stopped;
    signal.throwIfAborted();
    try {
      const indexed = await this.indexer.index({ jobId, accountId }, signal);
      if (indexed && !(await this.stages.erasure.removeIfErased({ jobId, accountId }))) await this.jobs.reindexed(jobId, indexed);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      this.log.warn({ job_id: jobId, account_id: accountId, code: toAppError(error).code }, 'transcript not reindexed');
      return false;
    }
  }
}
