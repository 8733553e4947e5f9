import type { WebhookType } from '@parlance/contracts';
import type { CollectionDefinition, Document } from '@parlance/storage';

/** One try: what was sent is the delivery's body, this is what came back. */
export interface Attempt {
  attemptedAt: string;
  statusCode?: number;
  /** Why there is no success, in words for the account's owner. */
  error?: string;
  latencyMs: number;
  /** The first kilobyte of the answer. */
  responseBody: string;
}

/** One event on its way to one address; everything the next try needs, so that it survives a restart. Its id follows from the event's. */
export interface WebhookDelivery extends Document {
  accountId: string;
  /** Absent when the event is about no job. */
  jobId?: string;
  /** The account's endpoint that it goes to. Absent when it goes to the job's `callback_url`. */
  endpointId?: string;
  /** That receiver's address is the job's `callback_url` as well: it is sent there whatever becomes of the receiver. */
  isCallback?: true;
  /** The `webhook-id`, which is the same for every attempt. */
  eventId: string;
  eventType: WebhookType;
  /** Place among the job's events. */
  sequence: number;
  /** Its place among the event's destinations. */
  destination: number;
  /** The event has other destinations, and is settled with the last of them. */
  shared: boolean;
  url: string;
  /** The receiver whose turn it waits for. */
  receiverId: string;
  /** Exactly the bytes that are signed and sent. */
  body: string;
  status: 'pending' | 'delivered' | 'failed';
  /** Time of the next try. It is in the past when none is to come. */
  nextAttemptAt: string;
  /** True once its first try was made, so that the job's next event may have its own. */
  tried: boolean;
  /** When the present round of the schedule began; a redelivery begins a new one. */
  roundAt: string;
  /** Tries in this round. */
  tries: number;
  /** Asked for by the account's owner: made even when the address has said it is gone, or the endpoint is disabled. */
  redelivery: boolean;
  /** The `callback_url` answered 410 and wants no more of this job. */
  gone: boolean;
  /** True while the job's later events depend on it: it is untried, or `gone`. */
  holds: boolean;
  /** Why it was given up without a further try, in words for the account's owner. */
  error?: string;
  attempts: Attempt[];
  /** W3C trace context of the event; its tries continue that trace. */
  traceparent?: string;
}

export const DELIVERIES: CollectionDefinition<WebhookDelivery> = {
  name: 'deliveries',
  indexes: [
    { fields: ['status', 'receiverId'], orderBy: 'nextAttemptAt', only: { status: 'pending' } },
    { fields: ['jobId', 'url', 'holds'], orderBy: 'sequence' },
    { fields: ['endpointId'] },
  ],
};

/** The same whenever the event comes again; sorts by the event's time. */
export const deliveryId = (eventId: string, destination: number): string => `dlv_${eventId.replace(/^evt_/, '')}_${destination}`;

/** It goes to the job's `callback_url`, be that an account-wide receiver as well. */
export const isToCallback = ({ jobId, endpointId, isCallback }: WebhookDelivery): boolean => jobId !== undefined && (endpointId === undefined || isCallback === true);

/** Redeliveries have no end; the newest tries are kept. */
const MAX_ATTEMPTS_KEPT = 100;

/** Outcome of a try. */
export interface AttemptResult {
  attempt: Attempt;
  outcome: 'delivered' | 'retry' | 'gone' | 'refused';
  /** Seconds, as the receiver asked. */
  retryAfterSeconds?: number;
}

/**
 * The delivery after a try.
 * @param retryDelayMs until the next try, undefined when none is left.
 */
export function afterAttempt(
  delivery: WebhookDelivery,
  { attempt, outcome }: AttemptResult,
  now: Date,
  retryDelayMs: (tries: number) => number | undefined,
): WebhookDelivery {
  const tries = delivery.tries + 1;
  const delay = outcome === 'retry' ? retryDelayMs(tries) : undefined;
  const attempts = [...delivery.attempts, attempt].slice(-MAX_ATTEMPTS_KEPT);
  const gone = outcome === 'gone' && isToCallback(delivery);
  const base = { ...delivery, tried: true, tries, redelivery: false, gone, holds: gone, attempts };
  if (outcome === 'delivered') return { ...base, status: 'delivered' };
  if (delay === undefined) return { ...base, status: 'failed' };
  return { ...base, status: 'pending', nextAttemptAt: new Date(now.getTime() + delay).toISOString() };
}

/** After an attempt whose worker lost its lease, or during which the owner requested a redelivery: the outcome counts no more. */
export const withLateAttempt = (delivery: WebhookDelivery, { attempt }: AttemptResult): WebhookDelivery => ({
  ...delivery,
  attempts: [...delivery.attempts, attempt].slice(-MAX_ATTEMPTS_KEPT),
});

/** Given up without a try. */
export const abandoned = (delivery: WebhookDelivery, error: string): WebhookDelivery => ({
  ...delivery,
  tried: true,
  holds: delivery.gone,
  status: 'failed',
  error,
});

/** Due again now, with the whole schedule before it, whatever became of it so far. */
export function redelivered({ error: _error, ...delivery }: WebhookDelivery, now: Date): WebhookDelivery {
  const nextAttemptAt = now.toISOString();
  return { ...delivery, status: 'pending', nextAttemptAt, roundAt: nextAttemptAt, tries: 0, redelivery: true };
}
