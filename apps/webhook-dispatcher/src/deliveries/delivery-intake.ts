import { ENDPOINT_DISABLED, ENDPOINT_TEST, WEBHOOK_TYPES, type AnnouncedType, type WebhookType } from '@parlance/contracts';
import type { EventEnvelope } from '@parlance/event-bus';
import { currentTraceparent, type Clock, type IdGenerator } from '@parlance/platform';
import type { JobErasures } from '@parlance/runtime';
import { wants, type WebhookEndpoint } from '../endpoints/webhook-endpoint.js';
import type { WebhookEndpoints } from '../endpoints/webhook-endpoints.js';
import type { AccountEvent, Destination } from '../events/account-event.js';
import type { AccountEvents } from '../events/account-events.js';
import { disabledPayload, testPayload, webhookPayload } from '../events/webhook-payload.js';
import type { Deliveries } from './deliveries.js';
import { deliveryId, type WebhookDelivery } from './delivery.js';
import { receiverId } from './receiver-id.js';
import type { DeliveryQueue } from './delivery-queue.js';
import { OfferedDelivery } from './offered-delivery.js';
import type { Receivers } from './receivers.js';
import { settled } from './settlement.js';

export interface DeliveryIntakeOptions {
  events: AccountEvents;
  endpoints: WebhookEndpoints;
  deliveries: Deliveries;
  receivers: Receivers;
  erasures: JobErasures;
  clock: Clock;
  ids: IdGenerator;
  queue: Pick<DeliveryQueue, 'offer' | 'wake'>;
  /** Milliseconds that a delivery may take for its first try before it is stored without. Default 1 s. */
  firstTryMs?: number;
}

/** More than a receiver that does well needs, and far less than an event may take to be taken in. */
const FIRST_TRY_MS = 1_000;

/** Whose event it is. */
interface Subject {
  id: string;
  accountId: string;
  jobId?: string;
}

/** Turns events into stored deliveries, one an event and address, however often the event comes. */
export class DeliveryIntake {
  constructor(private readonly options: DeliveryIntakeOptions) {}

  /** A job came further. */
  async announce({ id, type, time, data }: EventEnvelope<AnnouncedType>): Promise<void> {
    const { endpoints, erasures } = this.options;
    const { jobId, accountId, sequence, callbackUrl } = data;
    if (await erasures.has(jobId)) return;
    const destinations = destinationsOf(WEBHOOK_TYPES[type], await endpoints.of(accountId), callbackUrl);
    await this.publish({ id, accountId, jobId }, { type: WEBHOOK_TYPES[type], sequence, body: webhookPayload(type, time, data), destinations });
  }

  /** An endpoint was disabled: its siblings are told. */
  async tellDisabled({ id, time, data }: EventEnvelope<'webhook.endpoint_disabled'>): Promise<void> {
    const { accountId, endpointId } = data;
    const siblings = (await this.options.endpoints.of(accountId)).filter((endpoint) => endpoint.id !== endpointId);
    const destinations = destinationsOf(ENDPOINT_DISABLED, siblings, undefined);
    await this.publish({ id, accountId }, { type: ENDPOINT_DISABLED, sequence: 0, body: disabledPayload(time, data), destinations });
  }

  /** The owner wants to see whether the endpoint works. @returns the delivery's id */
  async test(accountId: string, endpoint: WebhookEndpoint): Promise<string> {
    const { clock, ids } = this.options;
    const id = ids.next('evt');
    const body = testPayload(clock.now().toISOString(), endpoint.id);
    await this.publish({ id, accountId }, { type: ENDPOINT_TEST, sequence: 0, body, destinations: [{ url: endpoint.url, endpointId: endpoint.id }] });
    return deliveryId(id, 0);
  }

  private async publish(subject: Subject, event: AccountEvent): Promise<void> {
    const { events } = this.options;
    const told = settled({ ...subject, ...event, eventType: event.type });
    const nobody = event.destinations.length === 0;
    const open = told && event.destinations.length > 1 ? { open: event.destinations.map((_, index) => index) } : {};
    const appended = { ...event, ...open };
    const stored = await events.append(subject, appended, told && nobody ? [told] : []);
    if (!stored) return;
    // What was stored before may have deliveries, too.
    const isNew = stored === appended;
    const ends = await Promise.allSettled(stored.destinations.map((destination, index) => this.deliver(this.delivery(subject, stored, destination, index), isNew)));
    // Not before the last one has ended: its job may be erased once the event is done with.
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  }

  private async deliver(delivery: WebhookDelivery, isNew: boolean): Promise<void> {
    const { deliveries, receivers, queue, firstTryMs = FIRST_TRY_MS } = this.options;
    const { receiverId: receiver, eventType, id } = delivery;
    const offered = new OfferedDelivery(delivery);
    if (isNew && eventType !== ENDPOINT_TEST) {
      queue.offer(offered);
      await offered.decidedWithin(firstTryMs);
    }
    const isTried = offered.isStored;
    const fresh = await offered.store(() => deliveries.add(delivery));
    if (isTried) return;
    await receivers.expect(receiver, eventType === ENDPOINT_TEST ? { probe: id } : { fresh });
    queue.wake();
  }

  private delivery(subject: Subject, event: AccountEvent, { url, endpointId, isCallback }: Destination, destination: number): WebhookDelivery {
    const { id: eventId, accountId, jobId } = subject;
    const now = this.options.clock.now().toISOString();
    const traceparent = currentTraceparent();
    const delivery: WebhookDelivery = {
      id: deliveryId(eventId, destination),
      createdAt: now,
      accountId,
      eventId,
      eventType: event.type,
      sequence: event.sequence,
      destination,
      shared: event.destinations.length > 1,
      url,
      receiverId: receiverId(accountId, url),
      body: event.body,
      status: 'pending',
      nextAttemptAt: now,
      tried: false,
      roundAt: now,
      tries: 0,
      redelivery: event.type === ENDPOINT_TEST,
      gone: false,
      holds: true,
      attempts: [],
    };
    if (jobId !== undefined) delivery.jobId = jobId;
    if (endpointId !== undefined) delivery.endpointId = endpointId;
    if (isCallback) delivery.isCallback = isCallback;
    if (traceparent !== undefined) delivery.traceparent = traceparent;
    return delivery;
  }
}

/** An address gets an event once, though it be the job's and an endpoint's, or several endpoints'. */
function destinationsOf(type: WebhookType, endpoints: readonly WebhookEndpoint[], callbackUrl: string | undefined): Destination[] {
  const byUrl = new Map<string, Destination>();
  for (const endpoint of endpoints) {
    if (wants(endpoint, type) && !byUrl.has(endpoint.url)) byUrl.set(endpoint.url, { url: endpoint.url, endpointId: endpoint.id });
  }
  if (callbackUrl) byUrl.set(callbackUrl, { ...byUrl.get(callbackUrl), url: callbackUrl, ...(byUrl.has(callbackUrl) && { isCallback: true as const }) });
  return [...byUrl.values()];
}
