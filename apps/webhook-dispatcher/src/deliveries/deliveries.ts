import type { NewEvent } from '@parlance/contracts';
import { notFound, type AppError, type Clock } from '@parlance/platform';
import type { DocumentCollection, DocumentDatabase, Page, Stored } from '@parlance/storage';
import type { AccountEvents } from '../events/account-events.js';
import { DELIVERIES, redelivered, type WebhookDelivery } from './delivery.js';
import { OfferedDelivery } from './offered-delivery.js';
import { receiverId } from './receiver-id.js';
import { settlement } from './settlement.js';

/** Far more than a job has events. */
const MAX_PER_JOB = 1000;

type Change = (current: WebhookDelivery) => WebhookDelivery;

/** The stored deliveries, and the questions that are asked of them. */
export class Deliveries {
  private readonly collection: DocumentCollection<WebhookDelivery>;

  constructor(
    documents: DocumentDatabase,
    private readonly events: Pick<AccountEvents, 'close'>,
    private readonly clock: Clock,
  ) {
    this.collection = documents.collection(DELIVERIES);
  }

  /** Once, however often it is called. @returns undefined when it was there before */
  async add(delivery: WebhookDelivery, told: readonly NewEvent[] = []): Promise<Stored<WebhookDelivery> | undefined> {
    try {
      const { version } = await this.collection.insert(delivery, told);
      return { document: delivery, version };
    } catch (error) {
      if ((error as AppError).code !== 'duplicate') throw error;
      return undefined;
    }
  }

  get(id: string): Promise<Stored<WebhookDelivery> | undefined> {
    return this.collection.get(id);
  }

  /** Pending ones whose time has come, longest due first. */
  async due(receiverId: string, limit: number): Promise<Stored<WebhookDelivery>[]> {
    const soon = new Date(this.clock.now().getTime() + 1).toISOString();
    const page = await this.collection.find({
      where: { status: 'pending', receiverId },
      range: { field: 'nextAttemptAt', lt: soon },
      orderBy: 'nextAttemptAt',
      direction: 'ascending',
      limit,
    });
    return page.items;
  }

  /** When the receiver has its next delivery due; undefined when it has none pending. */
  async nextDueAt(receiverId: string): Promise<string | undefined> {
    const { items } = await this.collection.find({
      where: { status: 'pending', receiverId },
      orderBy: 'nextAttemptAt',
      direction: 'ascending',
      limit: 1,
    });
    return items[0]?.document.nextAttemptAt;
  }

  /** Of the job's deliveries to this address, the earliest in sequence that is untried, or answered 410. */
  async firstHolding(jobId: string, url: string): Promise<Stored<WebhookDelivery> | undefined> {
    const { items } = await this.collection.find({ where: { jobId, url, holds: true }, orderBy: 'sequence', direction: 'ascending', limit: 1 });
    return items[0];
  }

  async pendingTo(jobId: string, url: string): Promise<Stored<WebhookDelivery>[]> {
    const { items } = await this.collection.find({ where: { jobId, url }, limit: MAX_PER_JOB });
    return items.filter(({ document }) => document.status === 'pending');
  }

  /** Changes the delivery, and tells when that settles the end of a job; one that was erased meanwhile stays erased. */
  async change(read: Stored<WebhookDelivery>, change: Change): Promise<WebhookDelivery | undefined> {
    for (let current: Stored<WebhookDelivery> | undefined = read; current; current = await this.collection.get(read.document.id)) {
      const after = change(current.document);
      const told = settlement(current.document, after);
      // Before the delivery is: what comes between the two is only that it is tried once more.
      if (told && after.shared) await this.events.close(after.eventId, after.destination, told);
      if (await this.written(current, after, told && !after.shared ? [told] : [])) return after;
    }
    return undefined;
  }

  /** @returns false when another write came first. */
  private async written(current: Stored<WebhookDelivery>, after: WebhookDelivery, told: readonly NewEvent[]): Promise<boolean> {
    if (!(current instanceof OfferedDelivery)) return this.replaced(after, current.version, told);
    const isFirst = !current.isStored;
    const stored = await current.store(() => this.add(after, told));
    return isFirst && stored !== undefined;
  }

  /** Newest first; empty for a job that is unknown or another account's. */
  list(query: { jobId: string; limit: number; cursor?: string | undefined }): Promise<Page<WebhookDelivery>> {
    const { jobId, limit, cursor } = query;
    return this.collection.find({ where: { jobId }, limit, ...(cursor ? { cursor } : {}) });
  }

  listOfEndpoint(query: { endpointId: string; limit: number; cursor?: string | undefined }): Promise<Page<WebhookDelivery>> {
    const { endpointId, limit, cursor } = query;
    return this.collection.find({ where: { endpointId }, limit, ...(cursor ? { cursor } : {}) });
  }

  /** @throws AppError not_found */
  async require(accountId: string, id: string): Promise<Stored<WebhookDelivery>> {
    const stored = await this.collection.get(id);
    if (stored?.document.accountId !== accountId) throw notFound('The delivery');
    return stored;
  }

  /** Makes the delivery due now, with the same event id. @param url where the endpoint is now @throws AppError not_found */
  async redeliver(accountId: string, id: string, url?: string): Promise<WebhookDelivery> {
    const stored = await this.require(accountId, id);
    const to = url === undefined ? {} : { url, receiverId: receiverId(accountId, url) };
    const changed = await this.change(stored, (current) => ({ ...redelivered(current, this.clock.now()), ...to }));
    if (!changed) throw notFound('The delivery');
    return changed;
  }

  /** What still waits goes to another address from now on. @returns the delivery afterwards */
  move(stored: Stored<WebhookDelivery>, url: string): Promise<WebhookDelivery | undefined> {
    return this.change(stored, (current) => (current.status === 'pending' ? { ...current, url, receiverId: receiverId(current.accountId, url) } : current));
  }

  count(jobId: string): Promise<number> {
    return this.collection.count({ jobId });
  }

  async removeOfJob(jobId: string): Promise<void> {
    await this.collection.removeWhere({ jobId });
  }

  async remove(id: string): Promise<void> {
    await this.collection.remove(id);
  }

  countPending(): Promise<number> {
    return this.collection.count({ status: 'pending' });
  }

  private async replaced(...write: Parameters<DocumentCollection<WebhookDelivery>['replace']>): Promise<boolean> {
    try {
      await this.collection.replace(...write);
      return true;
    } catch (error) {
      if ((error as AppError).code === 'version_conflict') return false;
      throw error;
    }
  }
}
