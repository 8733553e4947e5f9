import type { CollectionDefinition, Document } from '@parlance/storage';
import type { WebhookType } from './webhook-payload.js';

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

/** One event on its way to one address; everything the next try needs, so that it survives a restart. */
export interface WebhookDelivery extends Document {
  accountId: string;
  jobId: string;
  /** The `webhook-id`, the same on every try. */
  eventId: string;
  eventType: WebhookType;
  /** Place among the job's events. */
  sequence: number;
  url: string;
  /** The receiver whose turn it waits for. */
  receiverId: string;
  /** Exactly the bytes that are signed and sent. */
  body: string;
  status: 'pending' | 'delivered' | 'failed';
  /** Of the next try. A past one while there is none to come. */
  nextAttemptAt: string;
  /** Whether its first try was made, so that the job's next event may have its own. */
  tried: boolean;
  /** Tries in this round of the schedule; a redelivery begins a new round. */
  tries: number;
  /** Asked for by the account's owner: made even when the address has said it is gone. */
  redelivery: boolean;
  /** The address answered 410 and wants no more of this job. */
  gone: boolean;
  attempts: Attempt[];
}

export const DELIVERIES: CollectionDefinition<WebhookDelivery> = {
  name: 'deliveries',
  indexes: [
    { fields: ['eventId', 'url'], unique: true },
    { fields: ['receiverId', 'status'], orderBy: 'nextAttemptAt' },
    { fields: ['jobId', 'url', 'tried'], orderBy: 'sequence' },
    { fields: ['jobId', 'url', 'gone'] },
    { fields: ['accountId', 'jobId'] },
    { fields: ['status'] },
  ],
};

/** Redeliveries have no end; the newest tries are kept. */
const MAX_ATTEMPTS_KEPT = 100;

/** How a try ended, for the schedule. */
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
  const base = { ...delivery, tried: true, tries, redelivery: false, gone: outcome === 'gone', attempts };
  if (outcome === 'delivered') return { ...base, status: 'delivered' };
  if (delay === undefined) return { ...base, status: 'failed' };
  return { ...base, status: 'pending', nextAttemptAt: new Date(now.getTime() + delay).toISOString() };
}

/** Given up without a try: the address has said that it is gone. */
export const abandoned = (delivery: WebhookDelivery): WebhookDelivery => ({ ...delivery, tried: true, status: 'failed' });

/** Due again now, with the whole schedule before it, whatever became of it so far. */
export const redelivered = (delivery: WebhookDelivery, now: Date): WebhookDelivery => ({
  ...delivery,
  status: 'pending',
  nextAttemptAt: now.toISOString(),
  tries: 0,
  redelivery: true,
});
