import { webhook } from '@parlance/contracts';
import type { WebhookDelivery } from '../deliveries/delivery.js';

const STATUS = {
  pending: webhook.DeliveryStatus.DELIVERY_STATUS_PENDING,
  delivered: webhook.DeliveryStatus.DELIVERY_STATUS_DELIVERED,
  failed: webhook.DeliveryStatus.DELIVERY_STATUS_FAILED,
};

/** @param openUntil until when the circuit of its receiver is open */
export function deliveryMessage(delivery: WebhookDelivery, openUntil = ''): webhook.Delivery {
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
    nextAttemptAt: status === 'pending' ? new Date(openUntil > nextAttemptAt ? openUntil : nextAttemptAt) : undefined,
    attempts: attempts.map(({ attemptedAt, ...attempt }) => ({ statusCode: undefined, error: undefined, ...attempt, attemptedAt: new Date(attemptedAt) })),
  };
}
