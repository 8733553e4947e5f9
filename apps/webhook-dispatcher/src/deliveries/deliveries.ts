import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '@parlance/platform';
import { DOCUMENTS } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase, Stored } from '@parlance/storage';
import { AccountEvents } from '../events/account-events.js';
import { DELIVERIES, settledEvent, type WebhookDelivery } from './delivery.js';

/** @param isAsRead false when another worker, or the owner, has changed the delivery since it was read */
type Change = (current: WebhookDelivery, isAsRead: boolean) => WebhookDelivery;

export interface ChangedDelivery {
  after: WebhookDelivery;
  /** The change delivered it, or gave it up. */
  isEnd: boolean;
}

/** The stored deliveries, and the queries on them. */
@Injectable()
export class Deliveries {
  readonly collection: DocumentCollection<WebhookDelivery>;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(AccountEvents) private readonly events: AccountEvents,
  ) {
    this.collection = documents.collection(DELIVERIES);
  }

  /** The pending deliveries to the receiver, longest due first. */
  async pending(receiverId: string, limit: number): Promise<Stored<WebhookDelivery>[]> {
    const { items } = await this.collection.find({ where: { status: 'pending', receiverId }, orderBy: 'nextAttemptAt', direction: 'ascending', limit });
    return items;
  }

  /** Finds the earliest, by sequence, of the job's deliveries to this address that was not attempted or was answered 410. */
  async firstHolding(jobId: string, url: string): Promise<Stored<WebhookDelivery> | undefined> {
    const { items } = await this.collection.find({ where: { jobId, url, holds: true }, orderBy: 'sequence', direction: 'ascending', limit: 1 });
    return items[0];
  }

  /** Changes the delivery, and publishes `webhook.settled` when that settles the end of a job. One that was erased meanwhile stays erased. */
  async change(read: Stored<WebhookDelivery>, change: Change): Promise<ChangedDelivery | undefined> {
    for (let current: Stored<WebhookDelivery> | undefined = read; current; current = await this.collection.get(read.document.id)) {
      const after = change(current.document, current.version === read.version);
      const isEnd = current.document.status === 'pending' && after.status !== 'pending';
      const settled = isEnd ? settledEvent(after) : undefined;
      // Before the delivery is stored: a process that dies between the two only sends it once more.
      if (settled) await this.events.close(after.eventId, after.destination, settled);
      if (await this.collection.replaceIf(after, current.version)) return { after, isEnd };
    }
    return undefined;
  }

  /** @throws AppError not_found */
  async require(accountId: string, id: string): Promise<Stored<WebhookDelivery>> {
    const stored = await this.collection.get(id);
    if (stored?.document.accountId !== accountId) throw notFound('The delivery');
    return stored;
  }

  countPending(): Promise<number> {
    return this.collection.count({ status: 'pending' });
  }
}
