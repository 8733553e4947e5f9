import { Inject, Injectable } from '@nestjs/common';
import type { DocumentCollection, Stored } from '@parlance/storage';
import type { IndexedJobRecord, IndexedPassages } from './indexed-job.js';
import { SearchLedger } from './search-ledger.js';

/** Which jobs have passages in the index, and the vectors of which engine. */
@Injectable()
export class IndexedJobs {
  private readonly jobs: DocumentCollection<IndexedJobRecord>;

  constructor(@Inject(SearchLedger) ledger: SearchLedger) {
    this.jobs = ledger.records;
  }

  /** Stores which parts of a job are in the index after a change outside the indexing stage. */
  async reindexed(jobId: string, indexed: IndexedPassages): Promise<void> {
    await this.jobs.update(jobId, (current) => (current && current.state !== 'deleted' ? { document: { ...current, ...indexed } } : undefined));
  }

  /** True when the account has passages with vectors of this engine. */
  async hasVectors(accountId: string, embedder: string): Promise<boolean> {
    const { items } = await this.jobs.find({ where: { accountId, embedder }, limit: 1 });
    return items.length > 0;
  }

  count(embedder: string): Promise<number> {
    return this.jobs.count({ embedder });
  }

  /** Jobs whose vectors are of this engine, the oldest first, created at that time or later. */
  ofEngine(embedder: string, since?: string): AsyncIterable<Stored<IndexedJobRecord>> {
    return this.jobs.all({ where: { embedder }, direction: 'ascending', ...(since !== undefined && { range: { field: 'createdAt', gte: since } }) });
  }
}
