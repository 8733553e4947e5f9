import { Controller, Inject } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import type { webhook } from '@parlance/contracts';
import type { Deliveries } from './deliveries/deliveries.js';
import type { WebhookDelivery } from './deliveries/delivery.js';
import type { DeliveryQueue } from './deliveries/delivery-queue.js';
import type { Receivers } from './deliveries/receivers.js';
import { deliveryMessage } from './delivery-message.js';
import type { WebhookEndpoints } from './endpoints/webhook-endpoints.js';
import type { AccountEvents } from './events/account-events.js';
import type { Retention } from './events/retention.js';
import { pageLimit } from './page-limit.js';
import type { AccountSecret, SigningSecrets } from './secrets/signing-secrets.js';
import * as tokens from './tokens.js';

/** What the gateway asks for: deliveries, events and signing secrets of an account. */
@Controller()
export class WebhookController {
  constructor(
    @Inject(tokens.DELIVERIES) private readonly deliveries: Deliveries,
    @Inject(tokens.RECEIVERS) private readonly receivers: Receivers,
    @Inject(tokens.DELIVERY_QUEUE) private readonly queue: DeliveryQueue,
    @Inject(tokens.WEBHOOK_ENDPOINTS) private readonly endpoints: WebhookEndpoints,
    @Inject(tokens.ACCOUNT_EVENTS) private readonly events: AccountEvents,
    @Inject(tokens.RETENTION) private readonly retention: Retention,
    @Inject(tokens.SIGNING_SECRETS) private readonly secrets: SigningSecrets,
  ) {}

  @GrpcMethod('WebhookService', 'listDeliveries')
  async listDeliveries(request: webhook.ListDeliveriesRequest): Promise<webhook.ListDeliveriesResponse> {
    const { accountId, jobId, endpointId, cursor } = request;
    const page = { cursor, limit: pageLimit(request.limit) };
    if (endpointId !== undefined) await this.endpoints.get(accountId, endpointId);
    const { items, nextCursor } = await (endpointId === undefined
      ? this.deliveries.list({ jobId, ...page })
      : this.deliveries.listOfEndpoint({ endpointId, ...page }));
    const own = items.filter(({ document }) => document.accountId === accountId);
    return { deliveries: await this.messagesOf(own.map(({ document }) => document)), nextCursor: own.length > 0 ? (nextCursor ?? undefined) : undefined };
  }

  @GrpcMethod('WebhookService', 'getDelivery')
  async getDelivery({ accountId, deliveryId }: webhook.GetDeliveryRequest): Promise<webhook.GetDeliveryResponse> {
    const [delivery] = await this.messagesOf([(await this.deliveries.require(accountId, deliveryId)).document]);
    return { delivery };
  }

  @GrpcMethod('WebhookService', 'redeliver')
  async redeliver({ accountId, deliveryId }: webhook.RedeliverRequest): Promise<webhook.RedeliverResponse> {
    const { endpointId } = (await this.deliveries.require(accountId, deliveryId)).document;
    const endpoint = endpointId === undefined ? undefined : (await this.endpoints.of(accountId)).find(({ id }) => id === endpointId);
    const delivery = await this.deliveries.redeliver(accountId, deliveryId, endpoint?.url);
    await this.receivers.expect(delivery.receiverId, { probe: delivery.id });
    this.queue.wake();
    return { delivery: deliveryMessage(delivery) };
  }

  private async messagesOf(deliveries: WebhookDelivery[]): Promise<webhook.Delivery[]> {
    const rests = await this.receivers.rests(deliveries.filter(({ status }) => status === 'pending').map(({ receiverId }) => receiverId));
    return deliveries.map((delivery) => deliveryMessage(delivery, rests.get(delivery.receiverId)));
  }

  @GrpcMethod('WebhookService', 'listEvents')
  async listEvents({ accountId, after, limit }: webhook.ListEventsRequest): Promise<webhook.ListEventsResponse> {
    return { ...(await this.events.list(accountId, after, pageLimit(limit))), retainedSince: this.retention.since };
  }

  @GrpcMethod('WebhookService', 'getSecret')
  async getSecret({ accountId }: webhook.GetSecretRequest): Promise<webhook.GetSecretResponse> {
    return toSecretMessage(await this.secrets.get(accountId));
  }

  @GrpcMethod('WebhookService', 'rotateSecret')
  async rotateSecret({ accountId }: webhook.RotateSecretRequest): Promise<webhook.RotateSecretResponse> {
    return toSecretMessage(await this.secrets.rotate(accountId));
  }
}

const toSecretMessage = ({ secret, retired }: AccountSecret) => ({ secret, previousExpiresAt: retired[0]?.expiresAt });
