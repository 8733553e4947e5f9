import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import { CLOCK } from '@parlance/runtime';
import type { Stored } from '@parlance/storage';
import { DispatcherSettings } from '../dispatcher-settings.js';
import { WebhookEndpoints } from '../endpoints/webhook-endpoints.js';
import { Deliveries } from './deliveries.js';
import { GONE, DeliveryAttempts } from './delivery-attempts.js';
import type { WebhookDelivery } from './delivery.js';
import { DeliveryQueue } from './delivery-queue.js';
import { receiverId } from './receiver-id.js';
import { roundMs } from './retry-schedule.js';

const NO_ENDPOINT = 'The endpoint is disabled, or was deleted.';
const TOO_OLD = 'The receiver did not recover before the last time of the schedule.';

type StoredDelivery = Stored<WebhookDelivery>;

/** Chooses what is sent when a delivery is due: that one, an earlier one of its job, or nothing. */
@Injectable()
export class DeliveryChoice {
  constructor(
    @Inject(Deliveries) private readonly deliveries: Deliveries,
    @Inject(WebhookEndpoints) private readonly endpoints: WebhookEndpoints,
    @Inject(DeliveryAttempts) private readonly attempts: DeliveryAttempts,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue,
    @Inject(DispatcherSettings) private readonly settings: DispatcherSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @param isProbing the circuit of the receiver was open, so that the delivery may have waited for too long */
  async next(due: StoredDelivery, isProbing: boolean): Promise<StoredDelivery | undefined> {
    const { jobId, url, tried, redelivery, sequence } = due.document;
    if (redelivery) return due;
    if (jobId === undefined || tried || sequence <= 1) return this.ifWanted(due, isProbing);
    // The first try of an event comes after that of the job's earlier events.
    const first = await this.deliveries.firstHolding(jobId, url);
    if (first?.document.gone) return void (await this.attempts.giveUp(due, GONE));
    return this.ifWanted(first ?? due, isProbing);
  }

  /** Gives up a delivery that is not wanted any more, and takes one whose endpoint has moved to its new address. */
  private async ifWanted(next: StoredDelivery, isProbing: boolean): Promise<StoredDelivery | undefined> {
    const { redelivery, roundAt, accountId, endpointId, isCallback, url } = next.document;
    if (redelivery) return next;
    const lastTryAt = Date.parse(roundAt) + roundMs(this.settings.scheduleSeconds);
    if (isProbing && this.clock.now().getTime() > lastTryAt) return void (await this.attempts.giveUp(next, TOO_OLD));
    if (endpointId === undefined || isCallback) return next;
    const endpoint = await this.endpoints.find(accountId, endpointId);
    if (!endpoint?.enabled) return void (await this.attempts.giveUp(next, NO_ENDPOINT));
    return endpoint.url === url ? next : void (await this.move(next, endpoint.url));
  }

  private async move(next: StoredDelivery, url: string): Promise<void> {
    await this.queue.expect(receiverId(next.document.accountId, url));
    const moved = await this.deliveries.move(next, url);
    if (moved?.status === 'pending') await this.queue.wake([moved.receiverId]);
  }
}
