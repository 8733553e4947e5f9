import { Inject, Injectable } from '@nestjs/common';
import type { webhook } from '@parlance/contracts';
import type { Query } from '@parlance/storage';
import { CircuitBreaker } from '../deliveries/circuit-breaker.js';
import { Deliveries } from '../deliveries/deliveries.js';
import { isRequested, type WebhookDelivery } from '../deliveries/delivery.js';
import { deliveryMessage, deliveryStatusOf, pageLimit } from './messages.js';

/** Deliveries as the API shows them: their next attempt waits for the circuit of their receiver. */
@Injectable()
export class ShownDeliveries {
  constructor(
    @Inject(Deliveries) private readonly deliveries: Deliveries,
    @Inject(CircuitBreaker) private readonly circuits: CircuitBreaker,
  ) {}

  async list(request: webhook.ListDeliveriesRequest): Promise<webhook.ListDeliveriesResponse> {
    const { accountId, cursor } = request;
    const { items, nextCursor } = await this.deliveries.collection.find({ ...selection(request), limit: pageLimit(request.limit), ...(cursor && { cursor }) });
    const own = items.filter(({ document }) => document.accountId === accountId);
    return { deliveries: await this.messagesOf(own.map(({ document }) => document)), nextCursor: own.length > 0 ? (nextCursor ?? undefined) : undefined };
  }

  /** @throws AppError not_found */
  async get(accountId: string, id: string): Promise<webhook.Delivery | undefined> {
    const [delivery] = await this.messagesOf([(await this.deliveries.require(accountId, id)).document]);
    return delivery;
  }

  private async messagesOf(deliveries: WebhookDelivery[]): Promise<webhook.Delivery[]> {
    const waiting = deliveries.filter((delivery) => delivery.status === 'pending' && !isRequested(delivery));
    const openUntil = await this.circuits.openUntil(waiting.map(({ receiverId }) => receiverId));
    return deliveries.map((delivery) => deliveryMessage(delivery, isRequested(delivery) ? undefined : openUntil.get(delivery.receiverId)));
  }
}

function selection({ accountId, jobId, endpointId, status, createdAfter, createdBefore }: webhook.ListDeliveriesRequest): Query {
  if (endpointId !== undefined) return { where: { endpointId } };
  if (jobId !== '') return { where: { jobId } };
  const bounds = { ...(createdAfter && { gte: createdAfter.toISOString() }), ...(createdBefore && { lt: createdBefore.toISOString() }) };
  return { where: { accountId, status: deliveryStatusOf(status) }, ...(Object.keys(bounds).length > 0 && { range: { field: 'createdAt', ...bounds } }) };
}
