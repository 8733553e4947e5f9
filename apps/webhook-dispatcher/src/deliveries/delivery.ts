import { createHash } from 'node:crypto';
import { common, recordHolder, type NewEvent, type WebhookType } from '@parlance/contracts';
import { type CollectionDefinition, type Document, ownerOfPart } from '@parlance/storage';
import type { Destination } from '../events/account-event.js';

/** One attempt: what was sent is the delivery's body, this is what came back. */
interface Attempt {
  attemptedAt: string;
  statusCode?: number;
  /** Why there is no success, in words for the account's owner. */
  error?: string;
  latencyMs: number;
  /** The first kilobyte of the answer. */
  responseBody: string;
}

/** One event on its way to one address; everything the next attempt needs, so that it survives a restart. Its id follows from the event's. */
export interface WebhookDelivery extends Document, Destination {
  accountId: string;
  /** Absent when the event is about no job. */
  jobId?: string;
  /** The job is sealed: its deliveries outlive its content, and have none of it in clear. */
  isSealed?: true;
  /** The `webhook-id`, which is the same for every attempt. */
  eventId: string;
  eventType: WebhookType;
  /** Place among the job's events. */
  sequence: number;
  /** Its place among the event's destinations. */
  destination: number;
  /** The event has several destinations. Only dispatchers of the release before read it, and it can go one release later: they publish `webhook.settled` themselves where it is not set. */
  shared?: boolean;
  /** `receiverId` of its account and address. */
  receiverId: string;
  /** Exactly the bytes that are signed and sent. */
  body: string;
  status: 'pending' | 'delivered' | 'failed';
  /** Time of the next attempt, or `AT_ONCE`. It is in the past when none is to come. */
  nextAttemptAt: string;
  /** When the present round of the schedule began; a redelivery begins a new one. */
  roundAt: string;
  /** Attempts in this round. */
  tries: number;
  /** Requested by the account's owner: sent even when the address has answered 410 to the job before. One that is due `AT_ONCE` is sent to a disabled endpoint as well. */
  redelivery: boolean;
  /** The `callback_url` answered 410 and wants no more of this job. */
  gone: boolean;
  /** True while the job's later events depend on it: its first attempt was not made yet, or it is `gone`. */
  holds: boolean;
  /** Why it was given up without a further attempt, in words for the account's owner. */
  error?: string;
  attempts: Attempt[];
  /** W3C trace context of the event; its attempts continue that trace. */
  traceparent?: string;
}

export const DELIVERIES: CollectionDefinition<WebhookDelivery> = {
  name: 'deliveries',
  data: { what: 'webhooks as sent, their address, answers of the receiver', purpose: 'to send webhooks, try again and show what happened', kept: 'with the job', recipients: 'webhook receivers of the account' },
  account: 'accountId',
  indexes: [
    { fields: ['status', 'receiverId'], orderBy: 'nextAttemptAt', only: { status: 'pending' } },
    { fields: ['jobId', 'url', 'holds'], orderBy: 'sequence' },
    { fields: ['endpointId'] },
    { fields: ['accountId'] },
    { fields: ['accountId', 'status'], only: { status: 'failed' } },
  ],
  sealed: { fields: ['body', 'attempts', 'error', 'sealedHeaders'], owner: ({ accountId, jobId = '', isSealed }) => ownerOfPart({ accountId, jobId: isSealed ? recordHolder(jobId) : jobId }) },
};

/**
 * Names the receiver of an account's deliveries to one address: origin and path, since one host may have the hooks of many
 * receivers. The path may hold a secret, so it is hashed. The query often differs from job to job, so it is left out.
 */
export function receiverId(accountId: string, url: string): string {
  const parsed = URL.parse(url);
  const path = createHash('sha256').update(parsed?.pathname ?? url).digest('base64url').slice(0, 22);
  return `${accountId} ${parsed?.origin ?? 'none'} ${path}`;
}

export function partsOfReceiverId(receiver: string): { accountId: string; origin: string } {
  const [accountId = '', origin = ''] = receiver.split(' ');
  return { accountId, origin };
}

/** `nextAttemptAt` of a delivery that the account's owner waits for: it is the receiver's first, and sent even while the circuit is open. */
export const AT_ONCE = new Date(0).toISOString();

/** The account's owner waits for it. */
export const isRequested = ({ nextAttemptAt }: WebhookDelivery): boolean => nextAttemptAt === AT_ONCE;

/** The same whenever the event comes again; sorts by the event's time. */
export const deliveryId = (eventId: string, destination: number): string => `dlv_${eventId.replace(/^evt_/, '')}_${destination}`;

/** It goes to the job's `callback_url`, be that an account-wide receiver as well. */
export const isToCallback = ({ jobId, endpointId, isCallback }: WebhookDelivery): boolean => jobId !== undefined && (endpointId === undefined || isCallback === true);

/** The address of `first` wants no more of the job. A 410 that is older than a redelivery does not count for that. */
export const isRefusedSince = (first: WebhookDelivery, { redelivery, roundAt }: WebhookDelivery): boolean =>
  first.gone && first.status !== 'pending' && (!redelivery || (first.attempts.at(-1)?.attemptedAt ?? '') >= roundAt);

/** Redeliveries have no end; the newest attempts are kept. */
const MAX_ATTEMPTS_KEPT = 100;

export type Outcome = 'delivered' | 'retry' | 'gone' | 'refused';

export interface AttemptResult {
  attempt: Attempt;
  outcome: Outcome;
  /** Seconds, as the receiver asked. */
  retryAfterSeconds?: number;
}

/**
 * The delivery after an attempt.
 * @param retryDelayMs until the next attempt, undefined when none is left.
 */
export function afterAttempt(before: WebhookDelivery, result: AttemptResult, now: Date, retryDelayMs: (tries: number) => number | undefined): WebhookDelivery {
  const tries = before.tries + 1;
  const gone = result.outcome === 'gone' && isToCallback(before);
  const delivery = { ...withAttempt(before, result), tries, redelivery: false, gone, holds: gone };
  if (result.outcome === 'delivered') return { ...delivery, status: 'delivered' };
  const delay = result.outcome === 'retry' ? retryDelayMs(tries) : undefined;
  if (delay === undefined) return { ...delivery, status: 'failed' };
  return { ...delivery, status: 'pending', nextAttemptAt: new Date(now.getTime() + delay).toISOString() };
}

/** The delivery with one attempt more in its log. */
export const withAttempt = (delivery: WebhookDelivery, { attempt }: AttemptResult): WebhookDelivery => ({
  ...delivery,
  attempts: [...delivery.attempts, attempt].slice(-MAX_ATTEMPTS_KEPT),
});

/** Given up without an attempt, unless it has ended. */
export const abandoned = (delivery: WebhookDelivery, error: string): WebhookDelivery =>
  delivery.status === 'pending' ? { ...delivery, holds: delivery.gone, status: 'failed', error } : delivery;

/** Due again now or `AT_ONCE`, with the whole schedule before it, whatever became of it so far. */
export function redelivered({ error: _error, ...delivery }: WebhookDelivery, now: string, nextAttemptAt = now): WebhookDelivery {
  return { ...delivery, status: 'pending', nextAttemptAt, roundAt: now, tries: 0, redelivery: true };
}

/** At another address it is the endpoint's alone, and no longer that of the job's callback. */
export function movedTo(delivery: WebhookDelivery, url: string): WebhookDelivery {
  if (url === delivery.url) return delivery;
  const { isCallback: _isCallback, sealedHeaders: _sealedHeaders, include: _include, ...toEndpoint } = delivery;
  return { ...toEndpoint, url, receiverId: receiverId(delivery.accountId, url) };
}

/** The status of an ended job, by the webhook that announces it. */
const ENDS: Partial<Record<WebhookType, common.JobStatus>> = {
  'transcription.completed': common.JobStatus.JOB_STATUS_COMPLETED,
  'transcription.failed': common.JobStatus.JOB_STATUS_FAILED,
  'transcription.canceled': common.JobStatus.JOB_STATUS_CANCELED,
};

/** The event webhook.settled: no receiver waits for this end of the job. Undefined for any other event. */
export function settledEvent(ended: Pick<WebhookDelivery, 'jobId' | 'accountId' | 'sequence' | 'eventType'>): NewEvent | undefined {
  const { jobId, accountId, sequence, eventType } = ended;
  const status = ENDS[eventType];
  return jobId === undefined || status === undefined ? undefined : { type: 'webhook.settled', data: { jobId, accountId, sequence, status } };
}
