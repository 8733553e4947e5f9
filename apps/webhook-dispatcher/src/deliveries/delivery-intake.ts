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
  /** Called when a delivery is due. */
  wake: () => void;
}

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
    const { events, wake } = this.options;
    const told = settled({ ...subject, ...event, eventType: event.type });
    const nobody = event.destinations.length === 0;
    const open = told && event.destinations.length > 1 ? { open: event.destinations.map((_, index) => index) } : {};
    const stored = await events.append(subject, { ...event, ...open }, told && nobody ? [told] : []);
    if (!stored) return;
    await Promise.all(stored.destinations.map((destination, index) => this.deliver(subject, stored, destination, index)));
    wake();
  }

  private async deliver(subject: Subject, event: AccountEvent, { url, endpointId, isCallback }: Destination, destination: number): Promise<void> {
    const { deliveries, receivers, clock } = this.options;
    const { id: eventId, accountId, jobId } = subject;
    const now = clock.now().toISOString();
    const receiver = receiverId(accountId, url);
    const traceparent = currentTraceparent();
    const delivery: WebhookDelivery = {
      id: deliveryId(eventId, destination),
      createdAt: now,
      accountId,
      ...(jobId !== undefined && { jobId }),
      ...(endpointId !== undefined && { endpointId }),
      ...(isCallback && { isCallback }),
      eventId,
      eventType: event.type,
      sequence: event.sequence,
      destination,
      shared: event.destinations.length > 1,
      url,
      receiverId: receiver,
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
      ...(traceparent !== undefined && { traceparent }),
    };
    const fresh = await deliveries.add(delivery);
    await receivers.expect(receiver, event.type === ENDPOINT_TEST ? { probe: delivery.id } : { fresh });
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
