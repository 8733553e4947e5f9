import { webhook } from '@parlance/contracts';
import type { WebhookDelivery } from './deliveries/delivery.js';

const STATUS = {
  pending: webhook.DeliveryStatus.DELIVERY_STATUS_PENDING,
  delivered: webhook.DeliveryStatus.DELIVERY_STATUS_DELIVERED,
  failed: webhook.DeliveryStatus.DELIVERY_STATUS_FAILED,
};

/** @param restUntil until when its receiver is left alone */
export function deliveryMessage(delivery: WebhookDelivery, restUntil = ''): webhook.Delivery {
  const { id, eventId, eventType, url, status, nextAttemptAt, attempts, jobId = '', endpointId, error } = delivery;
  return {
    deliveryId: id,
    eventId,
    eventType,
    url,
    jobId,
    endpointId,
    error,
    status: STATUS[status],
    nextAttemptAt: status === 'pending' ? new Date(restUntil > nextAttemptAt ? restUntil : nextAttemptAt) : undefined,
    attempts: attempts.map(({ attemptedAt, ...attempt }) => ({ statusCode: undefined, error: undefined, ...attempt, attemptedAt: new Date(attemptedAt) })),
  };
}
