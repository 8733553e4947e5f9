import { keepSuccess, type Clock } from '@parlance/platform';
import type { Document, DocumentDatabase, DocumentCollection } from '@parlance/storage';
import { TO_REBUILD } from './indexed-job.js';
import type { IndexedJobs } from './indexed-jobs.js';

/** Which engines the index has, or had, vectors of. Two engines' vectors cannot be compared, however many dimensions they have. */
export class EmbeddingEngines {
  private readonly known: DocumentCollection<Document>;
  /** All that were here before the present one. */
  readonly otherEngines = keepSuccess(() => this.remember());

  constructor(
    documents: DocumentDatabase,
    private readonly jobs: IndexedJobs,
    private readonly current: string,
    private readonly clock: Clock,
  ) {
    this.known = documents.collection<Document>({ name: 'embedding_engines', indexes: [] });
  }

  /** Whether a search of this account by meaning compares like with like, and has anything to compare with. */
  async canCompare(accountId: string): Promise<boolean> {
    const found = await Promise.all([this.current, TO_REBUILD, ...(await this.otherEngines())].map((name) => this.jobs.hasVectors(accountId, name)));
    return found[0] === true && !found.slice(1).includes(true);
  }

  private async remember(): Promise<string[]> {
    await this.known.update(this.current, (current) => (current ? undefined : { document: { id: this.current, createdAt: this.clock.now().toISOString() } }));
    const { items } = await this.known.find({ limit: 100 });
    return items.map(({ document }) => document.id).filter((name) => name !== this.current);
  }
}
