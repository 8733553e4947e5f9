import { Worker } from 'node:worker_threads';
import { threadMemory } from '@parlance/platform';
import { AppError } from '@parlance/platform/errors';
import { fromSqliteError, type Durability } from '@parlance/platform/sqlite';
import { checkedJob, checkedQuery, checkIds, checkVersion } from '../checked-input.js';
import type { IndexedJob, JobVersion, SearchIndex, SearchPage, SearchQuery, Speaker } from '../search-index.js';
import { asThrown, type Answer, type IndexThread, type IndexThreadData, type Request } from './index-messages.js';

/** Jest runs the sources, for which a thread has no loader: it takes what was built. */
const WORKER = new URL(import.meta.url.endsWith('.ts') ? '../../dist/sqlite/index-worker.js' : './index-worker.js', import.meta.url);

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Passages in one SQLite file, with their words in FTS5 and their vectors beside them, all on a thread of its own. */
export class SqliteSearchIndex implements SearchIndex {
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private closing: Promise<void> | undefined;
  private failure: unknown;

  private constructor(
    private readonly worker: Worker,
    private readonly dimensions: number,
  ) {
    worker.on('message', (answer: Answer) => this.settle(answer));
    worker.on('error', (error) => this.fail(fromSqliteError(error)));
    worker.on('exit', () => this.fail(closed()));
  }

  /** Makes the file when there is none. One process alone may have it open. @throws Error when a newer version wrote the file. */
  static async open(path: string, { dimensions, durability = 'power' }: { dimensions: number; durability?: Durability | undefined }): Promise<SqliteSearchIndex> {
    const workerData: IndexThreadData = { path, dimensions, durability };
    const index = new SqliteSearchIndex(new Worker(WORKER, { workerData, resourceLimits: threadMemory() }), dimensions);
    await index.check();
    return index;
  }

  async put(job: IndexedJob): Promise<boolean> {
    return this.call('put', checkedJob(job, this.dimensions));
  }

  async updateSpeakers(job: JobVersion, speakers: Readonly<Record<string, Speaker>>): Promise<boolean> {
    checkVersion(job);
    return this.call('updateSpeakers', { ...job }, { ...speakers });
  }

  async deleteJob(accountId: string, jobId: string): Promise<void> {
    checkIds(accountId, jobId);
    return this.call('deleteJob', accountId, jobId);
  }

  async deleteAccount(accountId: string): Promise<void> {
    checkIds(accountId);
    return this.call('deleteAccount', accountId);
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    return this.call('search', checkedQuery(query, this.dimensions));
  }

  async check(): Promise<void> {
    return this.call('check');
  }

  /** Resolves when all requested writes are stored. */
  close(): Promise<void> {
    this.closing ??= this.failure ? Promise.resolve() : this.call('close').catch(() => {});
    return this.closing;
  }

  private call<C extends keyof IndexThread>(call: C, ...values: Parameters<IndexThread[C]>): Promise<Awaited<ReturnType<IndexThread[C]>>> {
    if (this.failure) return Promise.reject(this.failure);
    if (this.closing) return Promise.reject(closed());
    const id = (this.lastId += 1);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
      this.worker.ref();
      this.worker.postMessage({ id, call, values } satisfies Request);
    });
  }

  private settle(answer: Answer): void {
    const waiting = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    // An idle thread does not keep the process alive.
    if (this.waiting.size === 0) this.worker.unref();
    if ('error' in answer) waiting?.reject(asThrown(answer.error));
    else waiting?.resolve(answer.result);
  }

  private fail(error: unknown): void {
    this.failure ??= error;
    for (const { reject } of this.waiting.values()) reject(this.failure);
    this.waiting.clear();
  }
}

const closed = () => new AppError({ kind: 'unavailable', code: 'search_closed', message: 'The search index is closed.' });
