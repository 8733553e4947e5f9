import { Inject, Injectable } from '@nestjs/common';
import { BATCH_COMPLETED, batchPayload, disabledPayload, ENDPOINT_DISABLED, ENDPOINT_TEST, testPayload, WEBHOOK_TYPES, webhookPayload, type AnnouncedType, type WebhookContent } from '@parlance/contracts';
import type { EventEnvelope } from '@parlance/event-bus';
import { currentTraceparent, settleAll, type Clock, type IdGenerator } from '@parlance/platform';
import { CLOCK, ID_GENERATOR } from '@parlance/runtime';
import { knownContents, wants, type WebhookEndpoint } from '../endpoints/webhook-endpoint.js';
import { WebhookEndpoints } from '../endpoints/webhook-endpoints.js';
import type { AccountEvent, Destination, NewEntry } from '../events/account-event.js';
import { AccountEvents } from '../events/account-events.js';
import { WebhookErasures } from '../webhook-erasures.js';
import { Deliveries } from './deliveries.js';
import { AT_ONCE, deliveryId, receiverId, settledEvent, type WebhookDelivery } from './delivery.js';
import { DeliveryQueue } from './delivery-queue.js';

/** Turns events into stored deliveries, one for each event and address, however often the event comes. */
@Injectable()
export class DeliveryIntake {
  constructor(
    @Inject(AccountEvents) private readonly events: AccountEvents,
    @Inject(WebhookEndpoints) private readonly endpoints: WebhookEndpoints,
    @Inject(Deliveries) private readonly deliveries: Deliveries,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue,
    @Inject(WebhookErasures) private readonly erasures: WebhookErasures,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
  ) {}

  /** For an event of a job. */
  async announce({ id, type: announced, time, data }: EventEnvelope<AnnouncedType>): Promise<void> {
    const { jobId, accountId, sequence, callbackUrl, sealedCallbackHeaders: sealedHeaders, callbackInclude, sealed } = data;
    if (await this.erasures.isErased(jobId)) return;
    const event = { type: WEBHOOK_TYPES[announced], sequence, body: webhookPayload(announced, time, data) };
    await this.publishToAll({ id, accountId, jobId, ...(sealed && { isSealed: true as const }) }, event, { callbackUrl, sealedHeaders, include: knownContents(callbackInclude) });
  }

  /** An endpoint was disabled: the account's other endpoints are notified. */
  async announceDisabled({ id, time, data }: EventEnvelope<'webhook.endpoint_disabled'>): Promise<void> {
    const { accountId, endpointId } = data;
    await this.publishToAll({ id, accountId }, { type: ENDPOINT_DISABLED, sequence: 0, body: disabledPayload(time, data) }, { except: endpointId });
  }

  /** Each item of a batch has ended. */
  async announceBatch({ id, time, data }: EventEnvelope<'batch.completed'>): Promise<void> {
    const { accountId, callbackUrl } = data;
    await this.publishToAll({ id, accountId }, { type: BATCH_COMPLETED, sequence: 0, body: batchPayload(time, data) }, { callbackUrl });
  }

  /** Sends a test event to the endpoint. @returns the delivery's id */
  async test(accountId: string, { id: endpointId, url }: WebhookEndpoint): Promise<string> {
    const id = this.ids.next('evt');
    const body = testPayload(this.clock.now().toISOString(), endpointId);
    await this.publish({ id, accountId, event: { type: ENDPOINT_TEST, sequence: 0, body, destinations: [{ url, endpointId }] } });
    return deliveryId(id, 0);
  }

  /** @param except an endpoint that does not get it */
  private async publishToAll(owner: Omit<NewEntry, 'event'>, event: Omit<AccountEvent, 'destinations'>, { except, ...callback }: Callback & { except?: string }): Promise<void> {
    const endpoints = (await this.endpoints.of(owner.accountId)).filter((endpoint) => endpoint.id !== except && wants(endpoint, event.type));
    await this.publish({ ...owner, event: { ...event, destinations: destinationsOf(endpoints, callback) } });
  }

  /** Stores the event, then its deliveries, then wakes their receivers: whatever is missing after a crash is made up for when the event comes again. */
  private async publish(entry: NewEntry): Promise<void> {
    const { event } = entry;
    const settled = settledEvent({ ...entry, ...event, eventType: event.type });
    const open = [...event.destinations.keys()];
    const stored = await this.events.append({ ...entry, event: { ...event, ...(settled && { open }) } }, settled && open.length === 0 ? [settled] : []);
    if (!stored) return;
    const deliveries = stored.destinations.map((to, destination) => this.delivery({ ...entry, event: stored }, to, destination));
    // Waits for the last write: the job may be erased once the event is acknowledged.
    await settleAll(deliveries.map((delivery) => this.deliveries.collection.insertIfAbsent(delivery)));
    await this.queue.wake(deliveries.map((delivery) => delivery.receiverId));
  }

  private delivery({ id: eventId, event, ...owner }: NewEntry, to: Destination, destination: number): WebhookDelivery {
    const { type, sequence, body, destinations } = event;
    const now = this.clock.now().toISOString();
    const traceparent = currentTraceparent();
    return {
      ...owner,
      ...to,
      id: deliveryId(eventId, destination),
      createdAt: now,
      eventId,
      eventType: type,
      sequence,
      destination,
      shared: destinations.length > 1,
      receiverId: receiverId(owner.accountId, to.url),
      body,
      status: 'pending',
      nextAttemptAt: type === ENDPOINT_TEST ? AT_ONCE : now,
      roundAt: now,
      tries: 0,
      redelivery: type === ENDPOINT_TEST,
      gone: false,
      holds: true,
      attempts: [],
      ...(traceparent !== undefined && { traceparent }),
    };
  }
}

/** The `callback_url` of a job or batch, with headers and contents for it. */
interface Callback {
  callbackUrl?: string | undefined;
  sealedHeaders?: string | undefined;
  include?: WebhookContent[];
}

/** An address gets an event once, though it be the job's and an endpoint's, or several endpoints'. */
function destinationsOf(endpoints: readonly WebhookEndpoint[], { callbackUrl: url, sealedHeaders, include = [] }: Callback): Destination[] {
  const byUrl = new Map<string, Destination>(endpoints.toReversed().map(({ id, url }) => [url, { url, endpointId: id }]));
  if (url) byUrl.set(url, { ...byUrl.get(url), url, ...(byUrl.has(url) && { isCallback: true as const }), ...(sealedHeaders !== undefined && { sealedHeaders }), ...(include.length > 0 && { include }) });
  return [...byUrl.values()];
}
