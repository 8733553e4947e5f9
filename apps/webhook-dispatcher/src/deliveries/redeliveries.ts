import { Inject, Injectable } from '@nestjs/common';
import type { webhook } from '@parlance/contracts';
import { notFound, type Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS, TASK_QUEUE } from '@parlance/runtime';
import type { Document, DocumentCollection, DocumentDatabase, Stored } from '@parlance/storage';
import type { Again, Task, TaskContext, TaskQueue, TaskWorker } from '@parlance/task-queue';
import { Deliveries } from './deliveries.js';
import { AT_ONCE, type WebhookDelivery } from './delivery.js';
import { DeliveryQueue } from './delivery-queue.js';

/** Deliveries to one endpoint that are to be made due again, and how far that is. */
export interface Redelivery extends Document {
  accountId: string;
  endpointId: string;
  /** Deliveries were created at this time or later, and before `to`. */
  from: string;
  to: string;
  /** Delivered ones as well; else only failed ones. */
  all: boolean;
  /** Empty: any. */
  eventTypes: string[];
  count: number;
  cursor?: string | undefined;
  completedAt?: string;
  /** The maximum was reached: from there on they are left for another redelivery. */
  moreFrom?: string;
}

const QUEUE = 'webhook-redeliveries';
const PLACES = 4;
const PAGE_SIZE = 100;
const MAX_DELIVERIES = 10_000;
const DEADLINE_MS = 15 * 60_000;
const RETRY = { maxAttempts: Infinity, initialDelayMs: 1_000, maxDelayMs: 60_000 };

/** Makes the deliveries of a time due again, oldest first. They wait in the queue of their receiver as all others do. Killed at any point, the work continues. */
@Injectable()
export class Redeliveries {
  private readonly collection: DocumentCollection<Redelivery>;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(Deliveries) private readonly deliveries: Deliveries,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue,
    @Inject(TASK_QUEUE) private readonly tasks: TaskQueue,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.collection = documents.collection<Redelivery>({
      name: 'redeliveries',
      data: { what: 'redeliveries that were asked for: time, endpoint, count', purpose: 'to send webhooks again', kept: 'WEBHOOK_EVENT_RETENTION_DAYS' },
      indexes: [{ fields: [] }],
    });
  }

  /** Resolves once the work is durable. A redelivery that exists already is returned as it is. */
  async create({ accountId, redeliveryId: id, endpointId, from, to, all, eventTypes }: webhook.CreateRedeliveryRequest): Promise<Redelivery> {
    const createdAt = this.clock.now().toISOString();
    const until = to === undefined || to.toISOString() > createdAt ? createdAt : to.toISOString();
    await this.collection.insertIfAbsent({ id, createdAt, accountId, endpointId, from: from?.toISOString() ?? createdAt, to: until, all, eventTypes, count: 0 });
    const stored = await this.get(accountId, endpointId, id);
    if (stored.completedAt === undefined) await this.tasks.add(QUEUE, [{ id, accountId, payload: null }]);
    return stored;
  }

  /** @throws AppError not_found */
  async get(accountId: string, endpointId: string, id: string): Promise<Redelivery> {
    const stored = (await this.collection.get(id))?.document;
    if (stored?.accountId !== accountId || stored.endpointId !== endpointId) throw notFound('The redelivery');
    return stored;
  }

  /** Removes what was created before. */
  async removeBefore(time: Date): Promise<void> {
    for await (const { document } of this.collection.all({ range: { field: 'createdAt', lt: time.toISOString() } })) await this.collection.remove(document.id);
  }

  /** There are those of some weeks at most, so that all are looked at. */
  async removeOf(accountId: string): Promise<void> {
    for await (const { document } of this.collection.all()) if (document.accountId === accountId) await this.collection.remove(document.id);
  }

  /** Makes one delivery due at once, before all others of its receiver. @throws AppError not_found */
  async sendAtOnce(accountId: string, deliveryId: string): Promise<WebhookDelivery> {
    const delivery = await this.queue.redeliver(await this.deliveries.require(accountId, deliveryId), AT_ONCE);
    if (!delivery) throw notFound('The delivery');
    return delivery;
  }

  worker(): TaskWorker {
    return { queue: QUEUE, capacity: PLACES, deadlineMs: DEADLINE_MS, maxTakeOvers: Infinity, retry: RETRY, perform: (task, context) => this.perform(task, context) };
  }

  private async perform({ id }: Task, { signal, draining }: TaskContext): Promise<Again | void> {
    const stored = await this.collection.get(id);
    if (!stored || stored.document.completedAt !== undefined) return undefined;
    const after = await this.redeliverPage(stored.document, signal);
    await this.collection.replaceIf(after, stored.version);
    draining.throwIfAborted();
    // Other tasks have a turn between two pages.
    return after.completedAt === undefined ? { again: this.clock.now(), hasProgressed: true } : undefined;
  }

  /** @returns the redelivery after its next page */
  private async redeliverPage(redelivery: Redelivery, signal: AbortSignal): Promise<Redelivery> {
    const { endpointId, from, to, cursor } = redelivery;
    const page = await this.deliveries.collection.find({
      where: { endpointId },
      range: { field: 'createdAt', gte: from, lt: to },
      direction: 'ascending',
      limit: PAGE_SIZE,
      ...(cursor !== undefined && { cursor }),
    });
    let { count } = redelivery;
    for (const delivery of page.items.filter((each) => isChosen(redelivery, each))) {
      signal.throwIfAborted();
      if (count === MAX_DELIVERIES) return { ...redelivery, count, moreFrom: delivery.document.createdAt, completedAt: this.clock.now().toISOString() };
      if (isAlreadyDue(redelivery, delivery.document) || (await this.queue.redeliver(delivery))) count += 1;
    }
    if (page.nextCursor === null) return { ...redelivery, count, completedAt: this.clock.now().toISOString() };
    return { ...redelivery, count, cursor: page.nextCursor };
  }
}

/** A process that was killed before it stored its progress has made the delivery due. */
const isAlreadyDue = ({ createdAt }: Redelivery, { roundAt }: WebhookDelivery): boolean => roundAt >= createdAt;

function isChosen(redelivery: Redelivery, { document }: Stored<WebhookDelivery>): boolean {
  const { accountId, all, eventTypes } = redelivery;
  if (document.accountId !== accountId || (eventTypes.length > 0 && !eventTypes.includes(document.eventType))) return false;
  return isAlreadyDue(redelivery, document) || document.status === 'failed' || (all && document.status === 'delivered');
}
