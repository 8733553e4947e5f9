import { setTimeout as sleep } from 'node:timers/promises';
import { toAppError, type Logger } from '@parlance/platform';
import type { JobErasures } from '@parlance/runtime';
import type { EmbeddingEngines } from './embedding-engines.js';
import { TO_REBUILD } from './indexed-job.js';
import type { IndexedJobs } from './indexed-jobs.js';
import type { TranscriptIndexer } from './transcript-indexer.js';

export interface EmbeddingRenewalParts {
  jobs: IndexedJobs;
  engines: EmbeddingEngines;
  indexer: TranscriptIndexer;
  erasures: JobErasures;
  log: Logger;
  /** Milliseconds between two looks for what an operator asked for; default a minute. */
  lookEveryMs?: number;
}

const LOOK_EVERY_MS = 60_000;

/**
 * Indexes again, one after the other, what has vectors of another engine after a change of it, and what an operator asks for. Until
 * an account's are done it is searched by words. What fails of a change is tried again with the next start, what fails of what was
 * asked for with the next look; two processes that do the same do it twice, to the same end.
 */
export class EmbeddingRenewal {
  private readonly stopped = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly parts: EmbeddingRenewalParts) {}

  start(): void {
    this.running = this.work();
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.running;
  }

  private async work(): Promise<void> {
    const { log, lookEveryMs = LOOK_EVERY_MS } = this.parts;
    const { signal } = this.stopped;
    const unlessStopped = (message: string) => (error: unknown) => {
      if (!signal.aborted) log.warn({ err: error }, message);
    };
    await this.renewAll().catch(unlessStopped('transcripts of another embedding engine are not indexed anew yet; the next start goes on'));
    while (!signal.aborted) {
      await this.renew(TO_REBUILD, 'an operator asked to index transcripts anew').catch(unlessStopped('transcripts are not indexed anew yet'));
      await sleep(lookEveryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  private async renewAll(): Promise<void> {
    for (const engine of await this.parts.engines.otherEngines()) {
      await this.renew(engine, 'the embedding engine is another one: transcripts are indexed anew, and their accounts searched by words until that is done');
    }
  }

  private async renew(engine: string, reason: string): Promise<void> {
    const { jobs, log } = this.parts;
    const transcripts = await jobs.count(engine);
    if (transcripts === 0) return;
    log.warn({ engine, transcripts }, reason);
    let failed = 0;
    let cursor: string | undefined;
    do {
      const { items, nextCursor } = await jobs.ofEngine(engine, cursor);
      for (const { document } of items) if (!(await this.renewed(document.id, document.accountId))) failed += 1;
      cursor = nextCursor ?? undefined;
    } while (cursor !== undefined);
    log.info({ engine, transcripts, failed }, 'transcripts indexed anew');
  }

  private async renewed(jobId: string, accountId: string): Promise<boolean> {
    const { jobs, indexer, erasures, log } = this.parts;
    const { signal } = this.stopped;
    signal.throwIfAborted();
    try {
      const indexed = await indexer.index({ jobId, accountId }, signal);
      if (indexed && !(await erasures.has(jobId))) await jobs.reindexed(jobId, indexed);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ job_id: jobId, account_id: accountId, code: toAppError(error).code }, 'transcript not indexed anew');
      return false;
    }
  }
}
