import { runOfStage } from '@parlance/stage';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { INDEXED_JOBS, TO_REBUILD, type IndexedJobRecord } from './indexing/indexed-job.js';

/** Requests of an operator to rebuild an index that was lost or is damaged. The running service does the work. */
export class IndexRebuild {
  private readonly jobs: DocumentCollection<IndexedJobRecord>;

  /** @param documents the database of the search service */
  constructor(documents: DocumentDatabase) {
    this.jobs = documents.collection(INDEXED_JOBS);
  }

  /** Requests that every indexed transcript is read and indexed anew. May be called again at any time. @returns the number of transcripts */
  async request(): Promise<number> {
    for await (const { document } of this.jobs.all({ direction: 'ascending' })) {
      await this.jobs.update(document.id, (current) => (current && runOfStage(current, 'search').ended > 0 ? { document: { ...current, embedder: TO_REBUILD } } : undefined));
    }
    return this.left();
  }

  /** @returns the number of transcripts that are not indexed anew yet */
  left(): Promise<number> {
    return this.jobs.count({ embedder: TO_REBUILD });
  }
}
