import type { Clock, Logger } from '@parlance/platform';
import type { WebhookSender } from '../sending/webhook-sender.js';
import type { Deliveries } from './deliveries.js';
import { abandoned, afterAttempt, type AttemptResult, type WebhookDelivery } from './delivery.js';
import type { DeliveryMetrics } from './delivery-metrics.js';
import type { ReceiverLease, Receivers } from './receivers.js';
import { nextDelayMs } from './retry-schedule.js';
import { WakeSignal } from './wake-signal.js';

/** Requests to one receiver at the same time. */
const PER_RECEIVER = 2;
/** Due deliveries looked at to find some of different jobs. */
const LOOK_AHEAD = 20;
/** What a lease lasts beyond the time-out of a try: for reading and writing the documents. */
const LEASE_MARGIN_MS = 5_000;
/** Replicas do not hear of each other's work; they look again after this time at the latest. */
const MAX_SLEEP_MS = 30_000;
const SLEEP_AFTER_ERROR_MS = 1_000;

export interface DeliveryQueueOptions {
  deliveries: Deliveries;
  receivers: Receivers;
  sender: WebhookSender;
  metrics: DeliveryMetrics;
  clock: Clock;
  log: Logger;
  /** 0 ≤ random < 1. */
  random: () => number;
  scheduleSeconds: readonly number[];
  timeoutMs: number;
  /** Receivers served at once. */
  concurrency: number;
}

/** Makes the tries that are due, each receiver in its own line; its whole state is in the documents. */
export class DeliveryQueue {
  private readonly signal = new WakeSignal();
  private readonly turns = new Set<Promise<void>>();
  private loop: Promise<void> | undefined;
  private closing = false;

  constructor(private readonly options: DeliveryQueueOptions) {}

  start(): void {
    this.loop ??= this.run();
  }

  /** Something became due. */
  wake(): void {
    this.signal.wake();
  }

  /** Takes nothing more and waits for the tries that run. */
  async close(): Promise<void> {
    this.closing = true;
    this.wake();
    await this.loop;
    await Promise.all(this.turns);
  }

  private async run(): Promise<void> {
    while (!this.closing) {
      await this.signal.sleep(await this.beginDueTurns());
    }
  }

  /** @returns milliseconds until it makes sense to look again; the end of a turn wakes the queue as well. */
  private async beginDueTurns(): Promise<number> {
    const { receivers, clock, concurrency, timeoutMs, log } = this.options;
    try {
      while (!this.closing && this.turns.size < concurrency) {
        const lease = await receivers.takeDue(timeoutMs + LEASE_MARGIN_MS);
        if (lease) this.beginTurn(lease);
        else return Math.min(untilDue(await receivers.earliestDueAt(), clock), MAX_SLEEP_MS);
      }
      return MAX_SLEEP_MS;
    } catch (error) {
      log.error({ err: error }, 'looking for due webhooks failed');
      return SLEEP_AFTER_ERROR_MS;
    }
  }

  private beginTurn(lease: ReceiverLease): void {
    const turn = this.serve(lease.document.id)
      .catch((error: unknown) => this.options.log.error({ err: error }, 'serving a webhook receiver failed; its lease will run out'))
      .finally(() => {
        this.turns.delete(turn);
        this.wake();
      });
    this.turns.add(turn);
  }

  private async serve(receiverId: string): Promise<void> {
    const { deliveries, receivers } = this.options;
    const batch = await this.nextOf(receiverId);
    await Promise.all(batch.map((delivery) => this.attempt(delivery)));
    await receivers.release(receiverId, () => deliveries.nextDueAt(receiverId));
  }

  /** What the receiver gets now: of each job one, and before an event's first try those of the events before it. */
  private async nextOf(receiverId: string): Promise<WebhookDelivery[]> {
    const { deliveries } = this.options;
    const batch = new Map<string, WebhookDelivery>();
    for (const due of await deliveries.due(receiverId, LOOK_AHEAD)) {
      if (batch.has(due.jobId)) continue;
      const next = due.tried ? due : await deliveries.firstUntried(due);
      if (!next) continue;
      if (!next.redelivery && (await deliveries.isGone(next))) await deliveries.change(next.id, abandoned);
      else batch.set(next.jobId, next);
      if (batch.size === PER_RECEIVER) break;
    }
    return [...batch.values()];
  }

  private async attempt(delivery: WebhookDelivery): Promise<void> {
    const { deliveries, sender, metrics, clock, log } = this.options;
    const result = await sender.send(delivery);
    const after = await deliveries.change(delivery.id, (current) =>
      afterAttempt(current, result, clock.now(), (tries) => this.delayMs(tries, result)),
    );
    if (result.outcome === 'gone') await this.abandonOthers(delivery);
    metrics.observe(result, after);
    const { jobId: job_id, accountId: account_id, eventId: event_id, eventType: event_type, id: delivery_id } = delivery;
    const { statusCode: status_code, error, latencyMs: latency_ms } = result.attempt;
    log.info({ job_id, account_id, event_id, event_type, delivery_id, status_code, error, latency_ms, status: after?.status }, 'webhook tried');
  }

  private async abandonOthers(gone: WebhookDelivery): Promise<void> {
    const { deliveries } = this.options;
    for (const { id } of await deliveries.pendingTo(gone)) {
      await deliveries.change(id, (current) => (current.redelivery ? current : abandoned(current)));
    }
  }

  private delayMs(tries: number, { retryAfterSeconds }: AttemptResult): number | undefined {
    const { scheduleSeconds, random } = this.options;
    return nextDelayMs({ tries, scheduleSeconds, random: random(), retryAfterSeconds });
  }
}

const untilDue = (dueAt: Date | undefined, clock: Clock): number =>
  dueAt ? Math.max(0, dueAt.getTime() - clock.now().getTime()) : Infinity;
