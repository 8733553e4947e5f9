import { ulidGenerator, type Clock } from '@parlance/platform';
import type { DocumentDatabase } from '@parlance/storage';
import type { TaskQueue } from '@parlance/task-queue';
import { Deliveries } from './deliveries/deliveries.js';
import type { WebhookDelivery } from './deliveries/delivery.js';
import { DeliveryQueue } from './deliveries/delivery-queue.js';
import { WebhookEndpoints } from './endpoints/webhook-endpoints.js';
import { AccountEvents } from './events/account-events.js';

export type { WebhookDelivery } from './deliveries/delivery.js';

/** The webhooks to an endpoint, or those about a job. */
export type WebhooksOf = { endpointId: string } | { jobId: string };

/** When they were made: RFC 3339, from the first to before the second. */
interface MadeBetween {
  from?: string | undefined;
  to?: string | undefined;
}

/** Webhooks that were given up, for operators, beside the running dispatchers, which take up what is sent again. */
export class FailedWebhooks {
  private readonly deliveries: Deliveries;
  private readonly queue: DeliveryQueue;

  /** @param documents those of webhook-dispatcher @param tasks its queue */
  constructor(documents: DocumentDatabase, tasks: TaskQueue, clock: Clock) {
    this.deliveries = new Deliveries(documents, new AccountEvents(documents, clock));
    const endpoints = new WebhookEndpoints(documents, clock, ulidGenerator());
    this.queue = new DeliveryQueue(tasks, this.deliveries, endpoints, clock);
  }

  /** Oldest first. */
  async *of(whose: WebhooksOf, { from: gte, to: lt }: MadeBetween = {}): AsyncGenerator<WebhookDelivery> {
    const range = { field: 'createdAt', ...(gte !== undefined && { gte }), ...(lt !== undefined && { lt }) };
    const query = { where: { ...whose }, ...((gte ?? lt) !== undefined && { range }), direction: 'ascending' } as const;
    for await (const { document } of this.deliveries.collection.all(query)) if (document.status === 'failed') yield document;
  }

  /**
   * Makes it due now, with the whole schedule before it. A receiver whose circuit is open gets it when that closes.
   * @returns whether it is still there: its job may be erased meanwhile
   */
  async resend({ id }: WebhookDelivery): Promise<boolean> {
    const stored = await this.deliveries.collection.get(id);
    return stored !== undefined && (await this.queue.redeliver(stored)) !== undefined;
  }
}
