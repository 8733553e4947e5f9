import { Inject, Injectable } from '@nestjs/common';
import { notFound, type Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { erasureCollection, isUnreported, report, type ErasedItem, type Erasure } from './erasure.js';

@Injectable()
export class ErasureStore {
  private readonly collection: DocumentCollection<Erasure>;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.collection = documents.collection(erasureCollection);
  }

  /** Opens the receipt, or leaves it as it is when it is open. */
  async open(id: string, job: { id: string; accountId: string; projectId?: string }): Promise<void> {
    const createdAt = this.clock.now().toISOString();
    await this.collection.update(id, (current) =>
      current ? undefined : { document: { id, createdAt, accountId: job.accountId, jobId: job.id, ...(job.projectId !== undefined && { projectId: job.projectId }), items: [], open: true } },
    );
  }

  async report(id: string, item: ErasedItem): Promise<void> {
    await this.collection.update(id, (current) => {
      const document = current && report(current, item);
      return document && { document };
    });
  }

  /** Receipts that wait for a report for too long. */
  async *unreported(quietMs: number): AsyncGenerator<Erasure> {
    const now = this.clock.now().getTime();
    for await (const { document } of this.collection.all({ where: { open: true } })) if (isUnreported(document, now, quietMs)) yield document;
  }

  /** Erasures of the account that not every service has reported. Few are open at a time, over all accounts. */
  async countOpen(accountId: string): Promise<number> {
    let count = 0;
    for await (const { document } of this.collection.all({ where: { open: true } })) if (document.accountId === accountId) count += 1;
    return count;
  }

  async *allOf(accountId: string): AsyncGenerator<Erasure> {
    for await (const { document } of this.collection.all({ where: { accountId } })) yield document;
  }

  async asked(id: string): Promise<void> {
    const askedAt = this.clock.now().toISOString();
    await this.collection.update(id, (current) => current && { document: { ...current, askedAt } });
  }

  /** Newest first. @throws AppError invalid_cursor */
  async list(accountId: string, { projectId, limit, cursor }: { projectId?: string | undefined; limit: number; cursor?: string | undefined }): Promise<{ erasures: Erasure[]; nextCursor: string | null }> {
    const { items, nextCursor } = await this.collection.find({ where: { accountId, projectId }, limit, ...(cursor !== undefined && { cursor }) });
    return { erasures: items.map(({ document }) => document), nextCursor };
  }

  async has(accountId: string, id: string): Promise<boolean> {
    return (await this.collection.get(id))?.document.accountId === accountId;
  }

  /** @throws AppError not_found, also for a receipt of another account. */
  async get(accountId: string, id: string): Promise<Erasure> {
    const erasure = (await this.collection.get(id))?.document;
    if (erasure?.accountId !== accountId) throw notFound('The erasure');
    return erasure;
  }
}
