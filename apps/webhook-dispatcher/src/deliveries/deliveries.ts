import { Inject, Injectable } from '@nestjs/common';
import { notFound, type Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase, Page, Stored } from '@parlance/storage';
import { AccountEvents } from '../events/account-events.js';
import { DELIVERIES, redelivered, type WebhookDelivery } from './delivery.js';
import { receiverId } from './receiver-id.js';
import { settlement } from './settlement.js';

/** Far more than a job has events. */
const MAX_PER_JOB = 1000;

/** At another address it is the endpoint's alone, and no longer that of the job's callback. */
function movedTo(delivery: WebhookDelivery, url = delivery.url): WebhookDelivery {
  if (url === delivery.url) return delivery;
  const { isCallback: _isCallback, ...toEndpoint } = delivery;
  return { ...toEndpoint, url, receiverId: receiverId(delivery.accountId, url) };
}

/** @param isAsRead false when another worker, or the owner, has changed the delivery since it was read */
type Change = (current: WebhookDelivery, isAsRead: boolean) => WebhookDelivery;

export interface ChangedDelivery {
  before: WebhookDelivery;
  after: WebhookDelivery;
}

/** The stored deliveries, and the questions that are asked of them. */
@Injectable()
export class Deliveries {
  private readonly collection: DocumentCollection<WebhookDelivery>;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(AccountEvents) private readonly events: AccountEvents,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.collection = documents.collection(DELIVERIES);
  }

  /** Once, however often it is called. */
  async add(delivery: WebhookDelivery): Promise<void> {
    await this.collection.insertIfAbsent(delivery);
  }

  get(id: string): Promise<Stored<WebhookDelivery> | undefined> {
    return this.collection.get(id);
  }

  /** The delivery if it still waits for this receiver. */
  async pending(id: string, receiverId: string): Promise<Stored<WebhookDelivery> | undefined> {
    const stored = await this.get(id);
    return stored?.document.status === 'pending' && stored.document.receiverId === receiverId ? stored : undefined;
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

  /** Finds the earliest, by sequence, of the job's deliveries to this address that is untried or was answered 410. */
  async firstHolding(jobId: string, url: string): Promise<Stored<WebhookDelivery> | undefined> {
    const { items } = await this.collection.find({ where: { jobId, url, holds: true }, orderBy: 'sequence', direction: 'ascending', limit: 1 });
    return items[0];
  }

  async pendingTo(jobId: string, url: string): Promise<Stored<WebhookDelivery>[]> {
    const { items } = await this.collection.find({ where: { jobId, url }, limit: MAX_PER_JOB });
    return items.filter(({ document }) => document.status === 'pending');
  }

  /** Changes the delivery, and publishes `webhook.settled` when that settles the end of a job. One that was erased meanwhile stays erased. */
  async change(read: Stored<WebhookDelivery>, change: Change): Promise<ChangedDelivery | undefined> {
    for (let current: Stored<WebhookDelivery> | undefined = read; current; current = await this.collection.get(read.document.id)) {
      const after = change(current.document, current.version === read.version);
      const settled = settlement(current.document, after);
      // Before the delivery is stored: a process that dies between the two only tries it once more.
      if (settled && after.shared) await this.events.close(after.eventId, after.destination, settled);
      if (await this.collection.replaceIf(after, current.version, settled && !after.shared ? [settled] : [])) return { before: current.document, after };
    }
    return undefined;
  }

  /** Newest first; empty for a job that is unknown. */
  list(query: ({ jobId: string } | { endpointId: string }) & { limit: number; cursor?: string | undefined }): Promise<Page<WebhookDelivery>> {
    const { limit, cursor, ...where } = query;
    return this.collection.find({ where, limit, ...(cursor ? { cursor } : {}) });
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
    const changed = await this.change(stored, (current) => movedTo(redelivered(current, this.clock.now()), url));
    if (!changed) throw notFound('The delivery');
    return changed.after;
  }

  /** Sends a pending delivery to another address from now on. @returns the delivery afterwards */
  async move(stored: Stored<WebhookDelivery>, url: string): Promise<WebhookDelivery | undefined> {
    return (await this.change(stored, (current) => (current.status === 'pending' ? movedTo(current, url) : current)))?.after;
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
}
