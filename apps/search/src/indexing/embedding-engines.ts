import { Inject, Injectable } from '@nestjs/common';
import type { TextEmbedder } from '@parlance/engines';
import { keepSuccess, type Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { Document, DocumentDatabase, DocumentCollection } from '@parlance/storage';
import { TO_REBUILD } from './indexed-job.js';
import { IndexedJobs } from './indexed-jobs.js';
import { TEXT_EMBEDDER } from './text-embedder.provider.js';

/** Which engines the index has, or had, vectors of. Two engines' vectors cannot be compared, however many dimensions they have. */
@Injectable()
export class EmbeddingEngines {
  private readonly current: string;
  private readonly known: DocumentCollection<Document>;
  /** The engines that were used before the present one. */
  readonly otherEngines = keepSuccess(() => this.remember());

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(IndexedJobs) private readonly jobs: IndexedJobs,
    @Inject(TEXT_EMBEDDER) { info }: TextEmbedder,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.current = info.name;
    this.known = documents.collection<Document>({
      name: 'embedding_engines',
      data: { what: 'names of embedding engines', purpose: 'to notice another engine', kept: 'no end' },
      indexes: [],
    });
  }

  /** True when a search of this account by meaning compares like with like, and has anything to compare with. */
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
