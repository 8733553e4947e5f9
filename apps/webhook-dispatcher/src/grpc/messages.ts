import { webhook } from '@parlance/contracts';
import type { WebhookDelivery } from '../deliveries/delivery.js';
import type { Redelivery } from '../deliveries/redeliveries.js';
import { revisionOf, type WebhookEndpoint } from '../endpoints/webhook-endpoint.js';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** Items of a page; 0 asks for the default. */
export const pageLimit = (limit: number): number => Math.min(limit > 0 ? limit : DEFAULT_LIMIT, MAX_LIMIT);

const STATUS = {
  pending: webhook.DeliveryStatus.DELIVERY_STATUS_PENDING,
  delivered: webhook.DeliveryStatus.DELIVERY_STATUS_DELIVERED,
  failed: webhook.DeliveryStatus.DELIVERY_STATUS_FAILED,
};

export const deliveryStatusOf = (message: webhook.DeliveryStatus): WebhookDelivery['status'] | undefined => (['pending', 'delivered', 'failed'] as const).find((status) => STATUS[status] === message);

/** @param openUntil until when the circuit of its receiver is open */
export function deliveryMessage(delivery: WebhookDelivery, openUntil = ''): webhook.Delivery {
  const { id, createdAt, eventId, eventType, url, status, roundAt, nextAttemptAt, attempts, jobId = '', endpointId, error } = delivery;
  const [nextAt = ''] = [openUntil, nextAttemptAt, roundAt].toSorted().toReversed();
  return {
    deliveryId: id,
    createdAt: new Date(createdAt),
    eventId,
    eventType,
    url,
    jobId,
    endpointId,
    error,
    status: STATUS[status],
    nextAttemptAt: status === 'pending' ? new Date(nextAt) : undefined,
    attempts: attempts.map(({ attemptedAt, ...attempt }) => ({ statusCode: undefined, error: undefined, ...attempt, attemptedAt: new Date(attemptedAt) })),
  };
}

const dateOf = (time: string | undefined): Date | undefined => (time === undefined ? undefined : new Date(time));

export const redeliveryMessage = ({ id, createdAt, endpointId, from, to, all, eventTypes, count, completedAt, moreFrom }: Redelivery): webhook.Redelivery => ({
  redeliveryId: id,
  endpointId,
  createdAt: new Date(createdAt),
  from: new Date(from),
  to: new Date(to),
  all,
  eventTypes,
  count,
  completedAt: dateOf(completedAt),
  moreFrom: dateOf(moreFrom),
});

export const endpointMessage = (endpoint: WebhookEndpoint): webhook.Endpoint => ({
  endpointId: endpoint.id,
  url: endpoint.url,
  eventTypes: endpoint.eventTypes,
  enabled: endpoint.enabled,
  createdAt: new Date(endpoint.createdAt),
  failingSince: dateOf(endpoint.failingSince),
  disabledAt: dateOf(endpoint.disabled?.at),
  disabledReason: endpoint.disabled?.reason,
  revision: revisionOf(endpoint),
  headerNames: endpoint.headers?.names ?? [],
  include: endpoint.include ?? [],
});
