import { Inject, Injectable } from '@nestjs/common';
import { ENDPOINT_TEST } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import { CLOCK } from '@parlance/runtime';
import type { Stored } from '@parlance/storage';
import { WebhookEndpoints } from '../endpoints/webhook-endpoints.js';
import { WebhookSender } from '../sending/webhook-sender.js';
import { DispatcherSettings } from '../webhook-dispatcher.config.js';
import { Deliveries } from './deliveries.js';
import { abandoned, afterAttempt, isRefusedSince, isRequested, isToCallback, withAttempt, type AttemptResult, type Outcome, type WebhookDelivery } from './delivery.js';
import { DeliveryQueue } from './delivery-queue.js';
import { DeliveryReports } from './delivery-reports.js';
import { nextDelayMs, roundMs } from './retry-schedule.js';

type StoredDelivery = Stored<WebhookDelivery>;

const GONE = 'The address answered 410 to another webhook of this job.';
const NO_ENDPOINT = 'The endpoint is disabled, or was deleted.';
const TOO_OLD = 'The receiver did not recover before the last time of the schedule.';

/** One attempt of a delivery: which one it is, and everything that follows from its outcome. */
@Injectable()
export class DeliveryAttempts {
  constructor(
    @Inject(Deliveries) private readonly deliveries: Deliveries,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue,
    @Inject(WebhookEndpoints) private readonly endpoints: WebhookEndpoints,
    @Inject(WebhookSender) private readonly sender: WebhookSender,
    @Inject(DeliveryReports) private readonly reports: DeliveryReports,
    @Inject(DispatcherSettings) private readonly settings: DispatcherSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Chooses what is sent when a delivery is due: that one, an earlier one of its job, or nothing. One that the account's owner
   * waits for is sent in any case.
   * @param isProbing the circuit of the receiver was open, so that the delivery may have waited for too long
   */
  async choose(due: StoredDelivery, isProbing: boolean): Promise<StoredDelivery | undefined> {
    const { jobId, url, holds, redelivery, sequence } = due.document;
    if (isRequested(due.document)) return due;
    if (jobId === undefined || !(holds || redelivery) || sequence <= 1) return this.ifWanted(due, isProbing);
    // The first attempt of an event comes after that of the job's earlier events.
    const first = await this.deliveries.firstHolding(jobId, url);
    if (first && isRefusedSince(first.document, due.document)) return this.giveUp(due, GONE);
    return this.ifWanted(first && !redelivery ? first : due, isProbing);
  }

  /** Gives up a delivery that is not wanted any more, and takes one whose endpoint has moved to its new address. */
  private async ifWanted(next: StoredDelivery, isProbing: boolean): Promise<StoredDelivery | undefined> {
    const { roundAt, accountId, endpointId, isCallback, url } = next.document;
    const lastAttemptAt = Date.parse(roundAt) + roundMs(this.settings.scheduleSeconds);
    if (isProbing && this.clock.now().getTime() > lastAttemptAt) return this.giveUp(next, TOO_OLD);
    if (endpointId === undefined || isCallback) return next;
    const endpoint = await this.endpoints.find(accountId, endpointId);
    if (!endpoint?.enabled) return this.giveUp(next, NO_ENDPOINT);
    if (endpoint.url === url) return next;
    await this.queue.move(next, endpoint.url);
    return undefined;
  }

  /**
   * @param lease aborts when another worker has the receiver
   * @returns undefined when the attempt says nothing about the receiver's health
   */
  async attempt(read: StoredDelivery, lease: AbortSignal): Promise<Outcome | undefined> {
    const delivery = read.document;
    const result = await this.sender.send(delivery, lease);
    const now = this.clock.now();
    const counts = !isFailedTest(delivery, result);
    // Before the delivery, so that a caller that sees how it ended finds the endpoint as it is after that.
    if (delivery.endpointId !== undefined && counts) {
      await this.endpoints.attempted(delivery.accountId, { id: delivery.endpointId, url: delivery.url }, result.outcome);
    }
    // The outcome counts no more when the worker has lost its lease, or the owner has requested a redelivery meanwhile.
    const changed = await this.deliveries.change(read, (current, isAsRead) =>
      isAsRead ? afterAttempt(current, result, now, (tries) => this.retryDelayMs(current, tries, result)) : withAttempt(current, result),
    );
    if (changed?.after.gone) await this.abandonOthers(delivery);
    this.reports.attempted(delivery, result, changed);
    return counts ? result.outcome : undefined;
  }

  private async giveUp(delivery: StoredDelivery, why: string): Promise<undefined> {
    this.reports.changed(await this.deliveries.change(delivery, (current) => abandoned(current, why)));
  }

  /** Gives up the job's other deliveries to the address. */
  private async abandonOthers({ id, jobId, url }: WebhookDelivery): Promise<void> {
    if (jobId === undefined) return;
    for await (const other of this.deliveries.collection.all({ where: { jobId, url } })) {
      const { document } = other;
      if (document.id !== id && document.status === 'pending' && isToCallback(document) && !isRequested(document)) await this.giveUp(other, GONE);
    }
  }

  /** A test is attempted once. */
  private retryDelayMs({ eventType }: WebhookDelivery, tries: number, { retryAfterSeconds }: AttemptResult): number | undefined {
    const { scheduleSeconds, random } = this.settings;
    return eventType === ENDPOINT_TEST ? undefined : nextDelayMs({ tries, scheduleSeconds, random: random(), retryAfterSeconds });
  }
}

/** A failed test counts neither against the endpoint nor for the circuit: the receiver may not be there yet, and no event of the account has failed. */
const isFailedTest = ({ eventType }: WebhookDelivery, { outcome }: AttemptResult): boolean => eventType === ENDPOINT_TEST && outcome !== 'delivered' && outcome !== 'gone';
