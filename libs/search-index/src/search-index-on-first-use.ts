import { AppError } from '@parlance/platform/errors';
import type { IndexedJob, JobVersion, SearchIndex, SearchPage, SearchQuery, Speaker } from './search-index.js';

/** An index that is opened by the first call that needs it: its thread takes 17 MB and 60 ms, which an installation that never searches saves. */
export class SearchIndexOnFirstUse implements SearchIndex {
  private opening: Promise<SearchIndex> | undefined;
  private isClosed = false;

  constructor(private readonly open: () => Promise<SearchIndex>) {}

  async put(job: IndexedJob): Promise<boolean> {
    return (await this.opened()).put(job);
  }

  async updateSpeakers(job: JobVersion, speakers: Readonly<Record<string, Speaker>>): Promise<boolean> {
    return (await this.opened()).updateSpeakers(job, speakers);
  }

  async deleteJob(accountId: string, jobId: string): Promise<void> {
    return (await this.opened()).deleteJob(accountId, jobId);
  }

  async deleteAccount(accountId: string): Promise<void> {
    return (await this.opened()).deleteAccount(accountId);
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    return (await this.opened()).search(query);
  }

  /** Checks an index that was opened; before that there is nothing to check. */
  async check(): Promise<void> {
    return (await this.opening)?.check();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    // One that could not be opened has nothing to close.
    const index = await this.opening?.catch(() => undefined);
    await index?.close();
  }

  private opened(): Promise<SearchIndex> {
    if (this.isClosed) return Promise.reject(new AppError({ kind: 'unavailable', code: 'search_closed', message: 'The search index is closed.' }));
    this.opening ??= this.open().catch((error: unknown) => {
      // The next call tries again.
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }
}
