import { Controller, Inject } from '@nestjs/common';
import { SUBSCRIBABLE_TYPES, type SubscribableType, type webhook, type WebhookService } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { decodeCursor, encodeCursor, type CursorOrder } from '@parlance/storage';
import { DeliveryIntake } from '../deliveries/delivery-intake.js';
import { Redeliveries } from '../deliveries/redeliveries.js';
import { knownContents } from '../endpoints/webhook-endpoint.js';
import { WebhookEndpoints } from '../endpoints/webhook-endpoints.js';
import { AccountEvents } from '../events/account-events.js';
import { ReceiverSecrets } from '../secrets/receiver-secrets.js';
import { WebhookErasures } from '../webhook-erasures.js';
import { deliveryMessage, endpointMessage, pageLimit, redeliveryMessage } from './messages.js';
import { ShownDeliveries } from './shown-deliveries.js';

/** Deliveries, endpoints (receivers of all events of an account), events and signing secrets of an account. */
@Controller()
export class WebhookController implements WebhookService {
  constructor(
    @Inject(ShownDeliveries) private readonly deliveries: ShownDeliveries,
    @Inject(WebhookEndpoints) private readonly endpoints: WebhookEndpoints,
    @Inject(AccountEvents) private readonly events: AccountEvents,
    @Inject(WebhookErasures) private readonly erasures: WebhookErasures,
    @Inject(DeliveryIntake) private readonly intake: DeliveryIntake,
    @Inject(ReceiverSecrets) private readonly secrets: ReceiverSecrets,
    @Inject(Redeliveries) private readonly redeliveries: Redeliveries,
  ) {}

  async listDeliveries(request: webhook.ListDeliveriesRequest): Promise<webhook.ListDeliveriesResponse> {
    const { accountId, endpointId } = request;
    if (endpointId !== undefined) await this.endpoints.get(accountId, endpointId);
    return this.deliveries.list(request);
  }

  async getDelivery({ accountId, deliveryId }: webhook.GetDeliveryRequest): Promise<webhook.GetDeliveryResponse> {
    return { delivery: await this.deliveries.get(accountId, deliveryId) };
  }

  async redeliver({ accountId, deliveryId }: webhook.RedeliverRequest): Promise<webhook.RedeliverResponse> {
    return { delivery: deliveryMessage(await this.redeliveries.sendAtOnce(accountId, deliveryId)) };
  }

  async listEndpoints({ accountId, limit, cursor }: webhook.ListEndpointsRequest): Promise<webhook.ListEndpointsResponse> {
    const before = cursor === undefined ? undefined : decodeCursor(cursor, ORDER).id;
    const rest = (await this.endpoints.of(accountId)).toReversed().filter(({ id }) => before === undefined || id < before);
    const page = rest.slice(0, pageLimit(limit));
    const last = rest.length > page.length ? page.at(-1) : undefined;
    return { endpoints: page.map(endpointMessage), nextCursor: last && encodeCursor(ORDER, { value: last.createdAt, id: last.id }) };
  }

  async getEndpoint({ accountId, endpointId }: webhook.GetEndpointRequest): Promise<webhook.GetEndpointResponse> {
    return { endpoint: endpointMessage(await this.endpoints.get(accountId, endpointId)) };
  }

  async createEndpoint({ accountId, endpointId, url, eventTypes, enabled, headers, include }: webhook.CreateEndpointRequest): Promise<webhook.CreateEndpointResponse> {
    const endpoint = await this.endpoints.create(accountId, { url, eventTypes: typesOf(eventTypes) ?? [...SUBSCRIBABLE_TYPES], enabled, headers, include: knownContents(include) }, endpointId);
    return { endpoint: endpointMessage(endpoint), secret: endpoint.secret.secret };
  }

  async updateEndpoint({ accountId, endpointId, eventTypes, ifMatch, include, ...changes }: webhook.UpdateEndpointRequest): Promise<webhook.UpdateEndpointResponse> {
    return { endpoint: endpointMessage(await this.endpoints.change(accountId, endpointId, { ...changes, eventTypes: typesOf(eventTypes), include: include && knownContents(include) }, ifMatch)) };
  }

  async deleteEndpoint({ accountId, endpointId }: webhook.DeleteEndpointRequest): Promise<webhook.DeleteEndpointResponse> {
    await this.endpoints.delete(accountId, endpointId);
    return {};
  }

  async testEndpoint({ accountId, endpointId }: webhook.TestEndpointRequest): Promise<webhook.TestEndpointResponse> {
    const id = await this.intake.test(accountId, await this.endpoints.get(accountId, endpointId));
    return { delivery: await this.deliveries.get(accountId, id) };
  }

  async createRedelivery(request: webhook.CreateRedeliveryRequest): Promise<webhook.CreateRedeliveryResponse> {
    await this.endpoints.get(request.accountId, request.endpointId);
    return { redelivery: redeliveryMessage(await this.redeliveries.create(request)) };
  }

  async getRedelivery({ accountId, endpointId, redeliveryId }: webhook.GetRedeliveryRequest): Promise<webhook.GetRedeliveryResponse> {
    return { redelivery: redeliveryMessage(await this.redeliveries.get(accountId, endpointId, redeliveryId)) };
  }

  async listEvents({ accountId, after, limit, ...filter }: webhook.ListEventsRequest): Promise<webhook.ListEventsResponse> {
    return { ...(await this.events.list(accountId, after, pageLimit(limit), filter)), retainedSince: this.erasures.retainedSince };
  }

  async getSecret({ accountId }: webhook.GetSecretRequest): Promise<webhook.GetSecretResponse> {
    return this.secrets.get(accountId, undefined);
  }

  async rotateSecret({ accountId, revokePrevious }: webhook.RotateSecretRequest): Promise<webhook.RotateSecretResponse> {
    return this.secrets.rotate(accountId, undefined, { revokePrevious });
  }

  async getReceiverSecret({ accountId, receiver }: webhook.GetReceiverSecretRequest): Promise<webhook.GetReceiverSecretResponse> {
    return this.secrets.get(accountId, receiverOf(receiver));
  }

  async rotateReceiverSecret({ accountId, receiver, revokePrevious }: webhook.RotateReceiverSecretRequest): Promise<webhook.RotateReceiverSecretResponse> {
    return this.secrets.rotate(accountId, receiverOf(receiver), { revokePrevious });
  }
}

/** @throws AppError invalid_request, so that a receiver of a kind that is not known here never means the account */
function receiverOf({ receiver }: webhook.ReceiverRef = {}): NonNullable<webhook.ReceiverRef['receiver']> {
  if (!receiver) throw new AppError({ kind: 'invalid', code: 'invalid_request', message: 'The request names no receiver.' });
  return receiver;
}

const ORDER: CursorOrder = { collection: 'webhook_endpoints', orderBy: 'createdAt', direction: 'descending' };

/** @returns undefined when none is named. @throws AppError invalid_request */
function typesOf(names: readonly string[]): SubscribableType[] | undefined {
  if (names.length === 0) return undefined;
  const known = SUBSCRIBABLE_TYPES.filter((type) => names.includes(type));
  if (names.every((name) => (known as readonly string[]).includes(name))) return known;
  throw new AppError({ kind: 'invalid', code: 'invalid_request', message: 'The event type does not exist.' });
}
