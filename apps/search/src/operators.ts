import { runOfStage } from '@parlance/stage';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { INDEXED_JOBS, TO_REBUILD, type IndexedJobRecord } from './indexing/indexed-job.js';

/** What operators do about an index that was lost or is damaged, beside the running service, which does the work. */
export class IndexRebuild {
  private readonly jobs: DocumentCollection<IndexedJobRecord>;

  /** @param documents those of search */
  constructor(documents: DocumentDatabase) {
    this.jobs = documents.collection(INDEXED_JOBS);
  }

  /** Has every transcript that was indexed read and indexed anew. May be asked for again at any time. @returns how many there are */
  async request(): Promise<number> {
    for await (const { document } of this.jobs.all({ direction: 'ascending' })) {
      await this.jobs.update(document.id, (current) => (current && runOfStage(current, 'search').ended > 0 ? { document: { ...current, embedder: TO_REBUILD } } : undefined));
    }
    return this.left();
  }

  /** How many are not indexed anew yet. */
  left(): Promise<number> {
    return this.jobs.count({ embedder: TO_REBUILD });
  }
}
