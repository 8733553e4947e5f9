import { Controller, Inject } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import { webhook } from '@parlance/contracts';
import type { Deliveries } from './deliveries/deliveries.js';
import type { DeliveryQueue } from './deliveries/delivery-queue.js';
import type { WebhookDelivery } from './deliveries/delivery.js';
import type { Receivers } from './deliveries/receivers.js';
import type { AccountSecret, SigningSecrets } from './secrets/signing-secrets.js';
import { DELIVERIES, DELIVERY_QUEUE, RECEIVERS, SIGNING_SECRETS } from './tokens.js';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

const STATUS = {
  pending: webhook.DeliveryStatus.DELIVERY_STATUS_PENDING,
  delivered: webhook.DeliveryStatus.DELIVERY_STATUS_DELIVERED,
  failed: webhook.DeliveryStatus.DELIVERY_STATUS_FAILED,
};

/** What the gateway asks for: deliveries and signing secrets of an account. */
@Controller()
export class WebhookController {
  constructor(
    @Inject(DELIVERIES) private readonly deliveries: Deliveries,
    @Inject(RECEIVERS) private readonly receivers: Receivers,
    @Inject(DELIVERY_QUEUE) private readonly queue: DeliveryQueue,
    @Inject(SIGNING_SECRETS) private readonly secrets: SigningSecrets,
  ) {}

  @GrpcMethod('WebhookService', 'listDeliveries')
  async listDeliveries({ accountId, jobId, limit, cursor }: webhook.ListDeliveriesRequest): Promise<webhook.ListDeliveriesResponse> {
    const page = await this.deliveries.list({ accountId, jobId, cursor, limit: Math.min(limit > 0 ? limit : DEFAULT_LIMIT, MAX_LIMIT) });
    return { deliveries: page.items.map(({ document }) => toMessage(document)), nextCursor: page.nextCursor ?? undefined };
  }

  @GrpcMethod('WebhookService', 'redeliver')
  async redeliver({ accountId, deliveryId }: webhook.RedeliverRequest): Promise<webhook.RedeliverResponse> {
    const delivery = await this.deliveries.redeliver(accountId, deliveryId);
    await this.receivers.expect(delivery.receiverId);
    this.queue.wake();
    return { delivery: toMessage(delivery) };
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

const toSecretMessage = ({ secret, previous }: AccountSecret) => ({ secret, previousExpiresAt: previous?.expiresAt });

function toMessage(delivery: WebhookDelivery): webhook.Delivery {
  const { id, eventId, eventType, url, status, nextAttemptAt, attempts, jobId } = delivery;
  return {
    deliveryId: id,
    eventId,
    eventType,
    url,
    jobId,
    status: STATUS[status],
    nextAttemptAt: status === 'pending' ? new Date(nextAttemptAt) : undefined,
    attempts: attempts.map(({ attemptedAt, statusCode, error, latencyMs, responseBody }) => ({
      attemptedAt: new Date(attemptedAt),
      statusCode,
      error,
      latencyMs,
      responseBody,
    })),
  };
}
