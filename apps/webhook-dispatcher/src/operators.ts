import { AppError, ulidGenerator, type Clock } from '@parlance/platform';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { Deliveries } from './deliveries/deliveries.js';
import { DELIVERIES, type WebhookDelivery } from './deliveries/delivery.js';
import { Receivers } from './deliveries/receivers.js';
import { WebhookEndpoints } from './endpoints/webhook-endpoints.js';
import { AccountEvents } from './events/account-events.js';

export type { WebhookDelivery } from './deliveries/delivery.js';

const PAGE = 100;

/** Whose webhooks: those to an account-wide endpoint, or those about a job. */
export type WebhooksOf = { endpointId: string } | { jobId: string };

/** When they were made: RFC 3339, from the first to before the second. */
export interface MadeBetween {
  from?: string | undefined;
  to?: string | undefined;
}

/** Webhooks that were given up, for operators, beside the running dispatchers, which take up what is sent again. */
export class FailedWebhooks {
  private readonly collection: DocumentCollection<WebhookDelivery>;
  private readonly deliveries: Deliveries;
  private readonly receivers: Receivers;
  private readonly endpoints: WebhookEndpoints;

  /** @param documents those of webhook-dispatcher */
  constructor(documents: DocumentDatabase, clock: Clock) {
    this.collection = documents.collection(DELIVERIES);
    this.deliveries = new Deliveries(documents, new AccountEvents(documents, clock), clock);
    this.receivers = new Receivers(documents, clock);
    this.endpoints = new WebhookEndpoints(documents, clock, ulidGenerator());
  }

  /** Oldest first. */
  async *of(whose: WebhooksOf, { from: gte, to: lt }: MadeBetween = {}): AsyncGenerator<WebhookDelivery> {
    const range = { field: 'createdAt', ...(gte !== undefined && { gte }), ...(lt !== undefined && { lt }) };
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await this.collection.find({
        where: { ...whose },
        ...((gte ?? lt) !== undefined && { range }),
        direction: 'ascending',
        limit: PAGE,
        ...(cursor !== undefined && { cursor }),
      });
      for (const { document } of page.items) if (document.status === 'failed') yield document;
      cursor = page.nextCursor;
    }
  }

  /**
   * Due now, with the whole schedule before it, under its event's id, to where its endpoint is now. A receiver that is left alone
   * for a while gets it after that. @returns whether it is still there: its job may be erased meanwhile
   */
  async resend({ id, accountId, endpointId }: WebhookDelivery): Promise<boolean> {
    const endpoint = endpointId === undefined ? undefined : (await this.endpoints.of(accountId)).find((each) => each.id === endpointId);
    try {
      const { receiverId } = await this.deliveries.redeliver(accountId, id, endpoint?.url);
      await this.receivers.expect(receiverId);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.kind === 'not_found') return false;
      throw error;
    }
  }
}
