import { Controller, Inject } from '@nestjs/common';
import { SUBSCRIBABLE_TYPES, type SubscribableType, type webhook, type WebhookService } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { decodeCursor, encodeCursor, type CursorOrder } from '@parlance/storage';
import { Deliveries } from '../deliveries/deliveries.js';
import { DeliveryIntake } from '../deliveries/delivery-intake.js';
import { WebhookEndpoints } from '../endpoints/webhook-endpoints.js';
import { deliveryMessage, endpointMessage, pageLimit } from './messages.js';
import type { WebhookController } from './webhook.controller.js';

/** The part of WebhookService about endpoints: receivers of all events of an account. */
@Controller()
export class EndpointController implements Omit<WebhookService, keyof WebhookController> {
  constructor(
    @Inject(WebhookEndpoints) private readonly endpoints: WebhookEndpoints,
    @Inject(DeliveryIntake) private readonly intake: DeliveryIntake,
    @Inject(Deliveries) private readonly deliveries: Deliveries,
  ) {}

  async listEndpoints({ accountId, limit, cursor }: webhook.ListEndpointsRequest): Promise<webhook.ListEndpointsResponse> {
    const newestFirst = (await this.endpoints.of(accountId)).toReversed();
    const before = cursor === undefined ? undefined : decodeCursor(cursor, ORDER).id;
    const rest = before === undefined ? newestFirst : newestFirst.filter(({ id }) => id < before);
    const page = rest.slice(0, pageLimit(limit));
    const last = page.at(-1);
    return { endpoints: page.map(endpointMessage), nextCursor: last && rest.length > page.length ? encodeCursor(ORDER, { value: last.createdAt, id: last.id }) : undefined };
  }

  async getEndpoint({ accountId, endpointId }: webhook.GetEndpointRequest): Promise<webhook.GetEndpointResponse> {
    return { endpoint: endpointMessage(await this.endpoints.get(accountId, endpointId)) };
  }

  async createEndpoint({ accountId, url, eventTypes, enabled }: webhook.CreateEndpointRequest): Promise<webhook.CreateEndpointResponse> {
    const wanted = eventTypes.length === 0 ? [...SUBSCRIBABLE_TYPES] : typesOf(eventTypes);
    const endpoint = await this.endpoints.create(accountId, { url, eventTypes: wanted, enabled });
    return { endpoint: endpointMessage(endpoint), secret: endpoint.secret.secret };
  }

  async updateEndpoint({ accountId, endpointId, url, eventTypes, enabled }: webhook.UpdateEndpointRequest): Promise<webhook.UpdateEndpointResponse> {
    const wanted = eventTypes.length === 0 ? undefined : typesOf(eventTypes);
    return { endpoint: endpointMessage(await this.endpoints.change(accountId, endpointId, { url, eventTypes: wanted, enabled })) };
  }

  async deleteEndpoint({ accountId, endpointId }: webhook.DeleteEndpointRequest): Promise<webhook.DeleteEndpointResponse> {
    await this.endpoints.delete(accountId, endpointId);
    return {};
  }

  async testEndpoint({ accountId, endpointId }: webhook.TestEndpointRequest): Promise<webhook.TestEndpointResponse> {
    const id = await this.intake.test(accountId, await this.endpoints.get(accountId, endpointId));
    return { delivery: deliveryMessage((await this.deliveries.require(accountId, id)).document) };
  }
}

const ORDER: CursorOrder = { collection: 'webhook_endpoints', orderBy: 'createdAt', direction: 'descending' };

/** @throws AppError invalid_request */
function typesOf(names: readonly string[]): SubscribableType[] {
  const known = SUBSCRIBABLE_TYPES.filter((type) => names.includes(type));
  if (names.every((name) => (known as readonly string[]).includes(name))) return known;
  throw new AppError({ kind: 'invalid', code: 'invalid_request', message: 'The event type does not exist.' });
}
