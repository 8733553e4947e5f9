import { notFound, type AppError, type Clock } from '@parlance/platform';
import type { JobHoldings } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase, Page } from '@parlance/storage';
import { DELIVERIES, redelivered, type WebhookDelivery } from './delivery.js';

/** Far more than a job has events. */
const MAX_PER_JOB = 1000;

/** The stored deliveries, and the questions that are asked of them. */
export class Deliveries implements JobHoldings {
  readonly what = 'webhook_payloads';
  private readonly collection: DocumentCollection<WebhookDelivery>;

  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
  ) {
    this.collection = documents.collection(DELIVERIES);
  }

  /** @returns false when the event has a delivery to this address already. */
  async add(delivery: WebhookDelivery): Promise<boolean> {
    try {
      await this.collection.insert(delivery);
      return true;
    } catch (error) {
      if ((error as AppError).code === 'duplicate') return false;
      throw error;
    }
  }

  /** Pending ones whose time has come, longest due first. */
  async due(receiverId: string, limit: number): Promise<WebhookDelivery[]> {
    const soon = new Date(this.clock.now().getTime() + 1).toISOString();
    const page = await this.collection.find({
      where: { receiverId, status: 'pending' },
      range: { field: 'nextAttemptAt', lt: soon },
      orderBy: 'nextAttemptAt',
      direction: 'ascending',
      limit,
    });
    return page.items.map(({ document }) => document);
  }

  /** When the receiver has its next delivery due; undefined when it has none pending. */
  async nextDueAt(receiverId: string): Promise<string | undefined> {
    const { items } = await this.collection.find({
      where: { receiverId, status: 'pending' },
      orderBy: 'nextAttemptAt',
      direction: 'ascending',
      limit: 1,
    });
    return items[0]?.document.nextAttemptAt;
  }

  /** Of the job's deliveries to this address without a first try, the earliest in sequence. */
  async firstUntried({ jobId, url }: WebhookDelivery): Promise<WebhookDelivery | undefined> {
    const { items } = await this.collection.find({
      where: { jobId, url, tried: false },
      orderBy: 'sequence',
      direction: 'ascending',
      limit: 1,
    });
    return items[0]?.document;
  }

  /** Whether the address has answered 410 to an event of this job. */
  async isGone({ jobId, url }: WebhookDelivery): Promise<boolean> {
    return (await this.collection.count({ jobId, url, gone: true })) > 0;
  }

  async pendingTo({ jobId, url }: WebhookDelivery): Promise<WebhookDelivery[]> {
    const { items } = await this.collection.find({ where: { jobId, url }, limit: MAX_PER_JOB });
    return items.map(({ document }) => document).filter(({ status }) => status === 'pending');
  }

  /** Changes the delivery as it is now; one that was erased meanwhile stays erased. */
  async change(id: string, change: (current: WebhookDelivery) => WebhookDelivery): Promise<WebhookDelivery | undefined> {
    const { stored } = await this.collection.update(id, (current) => current && { document: change(current) });
    return stored?.document;
  }

  /** Newest first; empty for a job that is unknown or another account's. */
  list(query: { accountId: string; jobId: string; limit: number; cursor?: string | undefined }): Promise<Page<WebhookDelivery>> {
    const { accountId, jobId, limit, cursor } = query;
    return this.collection.find({ where: { accountId, jobId }, limit, ...(cursor ? { cursor } : {}) });
  }

  /** Makes the delivery due now, with the same event id. @throws AppError not_found */
  async redeliver(accountId: string, id: string): Promise<WebhookDelivery> {
    const stored = await this.collection.get(id);
    if (stored?.document.accountId !== accountId) throw notFound('The delivery');
    const changed = await this.change(id, (current) => redelivered(current, this.clock.now()));
    if (!changed) throw notFound('The delivery');
    return changed;
  }

  count(jobId: string): Promise<number> {
    return this.collection.count({ jobId });
  }

  async remove(jobId: string): Promise<void> {
    await this.collection.removeWhere({ jobId });
  }

  countPending(): Promise<number> {
    return this.collection.count({ status: 'pending' });
  }
}
