import { Inject, Injectable } from '@nestjs/common';
import { WebhookEndpoints } from '../endpoints/webhook-endpoints.js';
import { Deliveries } from './deliveries.js';
import type { WebhookDelivery } from './delivery.js';
import { DeliveryQueue } from './delivery-queue.js';
import { receiverId } from './receiver-id.js';

/** Sends a delivery again, under the id of its event, with the whole schedule, to where its endpoint is now. */
@Injectable()
export class Redelivery {
  constructor(
    @Inject(Deliveries) private readonly deliveries: Deliveries,
    @Inject(WebhookEndpoints) private readonly endpoints: WebhookEndpoints,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue,
  ) {}

  /** Sends it at once, whatever the circuit of the receiver says. @throws AppError not_found */
  async sendNow(accountId: string, id: string): Promise<WebhookDelivery> {
    const delivery = await this.makeDue(accountId, id);
    await this.queue.sendNow(delivery);
    return delivery;
  }

  /** Sends it when the receiver gets its next webhooks. @throws AppError not_found */
  async sendNext(accountId: string, id: string): Promise<void> {
    const { receiverId: receiver } = await this.makeDue(accountId, id);
    await this.queue.wake([receiver]);
  }

  private async makeDue(accountId: string, id: string): Promise<WebhookDelivery> {
    const { endpointId, url } = (await this.deliveries.require(accountId, id)).document;
    const endpoint = endpointId === undefined ? undefined : await this.endpoints.find(accountId, endpointId);
    await this.queue.expect(receiverId(accountId, endpoint?.url ?? url));
    return this.deliveries.redeliver(accountId, id, endpoint?.url);
  }
}
