import { Controller, Inject } from '@nestjs/common';
import type { webhook, WebhookService } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { CircuitBreaker } from '../deliveries/circuit-breaker.js';
import { Deliveries } from '../deliveries/deliveries.js';
import type { WebhookDelivery } from '../deliveries/delivery.js';
import { DeliveryQueue } from '../deliveries/delivery-queue.js';
import { WebhookEndpoints } from '../endpoints/webhook-endpoints.js';
import { AccountEvents } from '../events/account-events.js';
import { Retention } from '../events/retention.js';
import { deliveryMessage, pageLimit } from './messages.js';
import { ReceiverSecrets, type ReceiverRef } from '../secrets/receiver-secrets.js';

/** The part of WebhookService about deliveries, events and signing secrets of an account. */
@Controller()
export class WebhookController implements Partial<WebhookService> {
  constructor(
    @Inject(Deliveries) private readonly deliveries: Deliveries,
    @Inject(CircuitBreaker) private readonly circuits: CircuitBreaker,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue,
    @Inject(WebhookEndpoints) private readonly endpoints: WebhookEndpoints,
    @Inject(AccountEvents) private readonly events: AccountEvents,
    @Inject(Retention) private readonly retention: Retention,
    @Inject(ReceiverSecrets) private readonly secrets: ReceiverSecrets,
  ) {}

  async listDeliveries(request: webhook.ListDeliveriesRequest): Promise<webhook.ListDeliveriesResponse> {
    const { accountId, jobId, endpointId, cursor } = request;
    const page = { cursor, limit: pageLimit(request.limit) };
    if (endpointId !== undefined) await this.endpoints.get(accountId, endpointId);
    const { items, nextCursor } = await this.deliveries.list({ ...(endpointId === undefined ? { jobId } : { endpointId }), ...page });
    const own = items.filter(({ document }) => document.accountId === accountId);
    return { deliveries: await this.messagesOf(own.map(({ document }) => document)), nextCursor: own.length > 0 ? (nextCursor ?? undefined) : undefined };
  }

  async getDelivery({ accountId, deliveryId }: webhook.GetDeliveryRequest): Promise<webhook.GetDeliveryResponse> {
    const [delivery] = await this.messagesOf([(await this.deliveries.require(accountId, deliveryId)).document]);
    return { delivery };
  }

  async redeliver({ accountId, deliveryId }: webhook.RedeliverRequest): Promise<webhook.RedeliverResponse> {
    return { delivery: deliveryMessage(await this.queue.redeliverNow(accountId, deliveryId)) };
  }

  private async messagesOf(deliveries: WebhookDelivery[]): Promise<webhook.Delivery[]> {
    const openUntil = await this.circuits.openUntil(deliveries.filter(({ status }) => status === 'pending').map(({ receiverId }) => receiverId));
    return deliveries.map((delivery) => deliveryMessage(delivery, openUntil.get(delivery.receiverId)));
  }

  async listEvents({ accountId, after, limit }: webhook.ListEventsRequest): Promise<webhook.ListEventsResponse> {
    return { ...(await this.events.list(accountId, after, pageLimit(limit))), retainedSince: this.retention.since };
  }

  async getSecret({ accountId }: webhook.GetSecretRequest): Promise<webhook.GetSecretResponse> {
    return this.secrets.get(accountId, {});
  }

  async rotateSecret({ accountId, revokePrevious }: webhook.RotateSecretRequest): Promise<webhook.RotateSecretResponse> {
    return this.secrets.rotate(accountId, {}, { revokePrevious });
  }

  async getReceiverSecret({ accountId, receiver }: webhook.GetReceiverSecretRequest): Promise<webhook.GetReceiverSecretResponse> {
    return this.secrets.get(accountId, receiverOf(receiver));
  }

  async rotateReceiverSecret({ accountId, receiver, revokePrevious }: webhook.RotateReceiverSecretRequest): Promise<webhook.RotateReceiverSecretResponse> {
    return this.secrets.rotate(accountId, receiverOf(receiver), { revokePrevious });
  }
}

/** @throws AppError invalid_request, so that a receiver of a kind that is not known here never means the account */
function receiverOf({ receiver }: webhook.ReceiverRef = {}): ReceiverRef {
  if (!receiver) throw new AppError({ kind: 'invalid', code: 'invalid_request', message: 'The request names no receiver.' });
  return receiver.$case === 'endpointId' ? { endpointId: receiver.value } : { url: receiver.value };
}
