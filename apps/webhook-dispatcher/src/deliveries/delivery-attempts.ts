import { Inject, Injectable } from '@nestjs/common';
import { ENDPOINT_TEST } from '@parlance/contracts';
import { inTrace, type Clock, type Logger } from '@parlance/platform';
import { CLOCK, LOGGER } from '@parlance/runtime';
import type { Stored } from '@parlance/storage';
import { DispatcherSettings } from '../dispatcher-settings.js';
import { WebhookEndpoints } from '../endpoints/webhook-endpoints.js';
import { WebhookSender } from '../sending/webhook-sender.js';
import type { TryEnd } from './circuit.js';
import { Deliveries } from './deliveries.js';
import { abandoned, afterAttempt, isToCallback, withLateAttempt, type AttemptResult, type WebhookDelivery } from './delivery.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { nextDelayMs } from './retry-schedule.js';

type StoredDelivery = Stored<WebhookDelivery>;

export const GONE = 'The address answered 410 to another webhook of this job.';

/** One try of a delivery, and everything that follows from its outcome. */
@Injectable()
export class DeliveryAttempts {
  constructor(
    @Inject(Deliveries) private readonly deliveries: Deliveries,
    @Inject(WebhookEndpoints) private readonly endpoints: WebhookEndpoints,
    @Inject(WebhookSender) private readonly sender: WebhookSender,
    @Inject(DeliveryMetrics) private readonly metrics: DeliveryMetrics,
    @Inject(DispatcherSettings) private readonly settings: DispatcherSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  attempt(stored: StoredDelivery): Promise<TryEnd> {
    return inTrace(stored.document.traceparent, () => this.attemptInTrace(stored));
  }

  async giveUp(delivery: StoredDelivery, why: string): Promise<void> {
    this.metrics.changed(await this.deliveries.change(delivery, (current) => (current.status === 'pending' ? abandoned(current, why) : current)));
  }

  private async attemptInTrace(stored: StoredDelivery): Promise<TryEnd> {
    const delivery = stored.document;
    const result = await this.sender.send(delivery);
    const now = this.clock.now();
    // Before the delivery, so that a caller that sees how it ended finds the endpoint as it is after that.
    if (delivery.endpointId !== undefined && !isFailedTest(delivery, result)) {
      await this.endpoints.tried(delivery.accountId, { id: delivery.endpointId, url: delivery.url }, result.outcome);
    }
    const changed = await this.deliveries.change(stored, (current, isAsRead) =>
      isAsRead ? afterAttempt(current, result, now, (tries) => this.retryDelayMs(current, tries, result)) : withLateAttempt(current, result),
    );
    if (changed?.after.gone) await this.abandonOthers(delivery);
    this.metrics.attempted(result);
    this.metrics.changed(changed);
    this.log.info(logFields(delivery, result, changed?.after), 'webhook tried');
    return { outcome: HEALTH[result.outcome], now, random: this.settings.random() };
  }

  /** Gives up the job's other deliveries to the address. */
  private async abandonOthers({ id, jobId, url }: WebhookDelivery): Promise<void> {
    if (jobId === undefined) return;
    for (const other of await this.deliveries.pendingTo(jobId, url)) {
      if (other.document.id !== id && isToCallback(other.document) && !other.document.redelivery) await this.giveUp(other, GONE);
    }
  }

  /** A test is tried once. */
  private retryDelayMs({ eventType }: WebhookDelivery, tries: number, { retryAfterSeconds }: AttemptResult): number | undefined {
    const { scheduleSeconds, random } = this.settings;
    return eventType === ENDPOINT_TEST ? undefined : nextDelayMs({ tries, scheduleSeconds, random: random(), retryAfterSeconds });
  }
}

const HEALTH = { delivered: 'well', retry: 'failed', gone: 'answered', refused: 'answered' } as const satisfies Record<AttemptResult['outcome'], TryEnd['outcome']>;

/** A failed test counts for nothing: the receiver may not be there yet, and no event of the account has failed. */
const isFailedTest = ({ eventType }: WebhookDelivery, { outcome }: AttemptResult): boolean => eventType === ENDPOINT_TEST && outcome !== 'delivered' && outcome !== 'gone';

function logFields({ id, jobId, accountId, eventId, eventType }: WebhookDelivery, { attempt }: AttemptResult, after: WebhookDelivery | undefined) {
  const { statusCode, error, latencyMs } = attempt;
  return { job_id: jobId, account_id: accountId, event_id: eventId, event_type: eventType, delivery_id: id, status_code: statusCode, error, latency_ms: latencyMs, status: after?.status };
}
