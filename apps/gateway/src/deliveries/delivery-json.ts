import { webhook } from '@parlance/contracts';
import { present } from '../http/schema.js';
import { timeText } from '../transcriptions/job-json.js';

const { DeliveryStatus } = webhook;

const STATUS: Partial<Record<webhook.DeliveryStatus, string>> = {
  [DeliveryStatus.DELIVERY_STATUS_PENDING]: 'pending',
  [DeliveryStatus.DELIVERY_STATUS_DELIVERED]: 'delivered',
  [DeliveryStatus.DELIVERY_STATUS_FAILED]: 'failed',
};

/** The state to list; unspecified: any. */
export const deliveryStatus = (name: string | undefined): webhook.DeliveryStatus => Object.values(DeliveryStatus).find((status) => name !== undefined && STATUS[status] === name) ?? DeliveryStatus.DELIVERY_STATUS_UNSPECIFIED;

/** For the lists of a job and of an endpoint. */
export const UNFILTERED = { status: DeliveryStatus.DELIVERY_STATUS_UNSPECIFIED, createdAfter: undefined, createdBefore: undefined };

export const deliveryJson = (delivery: webhook.Delivery) =>
  present({
    delivery_id: delivery.deliveryId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    job_id: delivery.jobId === '' ? undefined : delivery.jobId,
    endpoint_id: delivery.endpointId,
    url: delivery.url,
    status: STATUS[delivery.status],
    created_at: timeText(delivery.createdAt),
    next_attempt_at: timeText(delivery.nextAttemptAt),
    error: delivery.error,
    attempts: delivery.attempts.map(attemptJson),
  });

const attemptJson = ({ attemptedAt, statusCode, error, latencyMs, responseBody }: webhook.DeliveryAttempt) =>
  present({ attempted_at: timeText(attemptedAt), status_code: statusCode, error, latency_ms: latencyMs, response_body: responseBody });
