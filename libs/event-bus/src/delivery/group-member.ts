import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, toAppError, type Logger } from '@parlance/platform';
import { attemptDelivery, type AttemptOutcome } from './attempt-delivery.js';
import { retryDelay } from './retry-delay.js';
import { DEFAULT_RETRY, type Consumer, type Delivery, type OutboxEvent, type RetryPolicy } from '../event-bus.js';

const DEFAULT_CONCURRENCY = 8;
const DEFAULT_DEADLINE_MS = 60_000;

/** One subscription of a group: runs its handlers, within their time and up to its concurrency. */
export class GroupMember {
  readonly retry: RetryPolicy;
  private readonly closing = new AbortController();
  private readonly running = new Set<Promise<unknown>>();
  private readonly concurrency: number;

  constructor(
    private readonly consumer: Consumer,
    private readonly graceMs: number,
    private readonly log: Logger,
  ) {
    this.retry = consumer.retry ?? DEFAULT_RETRY;
    this.concurrency = consumer.concurrency ?? DEFAULT_CONCURRENCY;
  }

  get load(): number {
    return this.running.size / this.concurrency;
  }

  handles(type: string): boolean {
    return Object.hasOwn(this.consumer.handlers, type);
  }

  /** Occupies one of the member's places until the work ends. */
  track<T>(work: Promise<T>): Promise<T> {
    const tracked = work.finally(() => this.running.delete(tracked));
    this.running.add(tracked);
    return tracked;
  }

  /** @param closing aborted when the event is taken away from the member; by default when the member closes */
  attempt(decode: () => OutboxEvent, attempt: number, closing = this.closing.signal): Promise<AttemptOutcome> {
    const { maxAttempts } = this.retry;
    return this.within(closing, (signal) => {
      const event = decode();
      const handler = this.consumer.handlers[event.type] as (delivery: Delivery) => Promise<void>;
      return handler({ event, attempt, maxAttempts, signal });
    });
  }

  /**
   * Tells the consumer that an event becomes a dead letter: again and again while that fails for a reason that passes,
   * such as a full disk, since nobody else will tell the job. @returns false when closing came between.
   */
  async giveUp(decode: () => OutboxEvent, error: unknown, closing = this.closing.signal): Promise<boolean> {
    const { giveUp } = this.consumer;
    if (!giveUp) return true;
    for (let tries = 1; ; tries += 1) {
      const outcome = await this.within(closing, () => giveUp(decode(), error));
      if (outcome.outcome !== 'failed') return outcome.outcome === 'done';
      this.log.error({ err: outcome.error }, 'giving up on an event failed');
      if (!toAppError(outcome.error).retryable) return true;
      await sleep(retryDelay(tries, DEFAULT_RETRY, 1), undefined, { signal: closing }).catch(() => {});
      if (closing.aborted) return false;
    }
  }

  /** Aborts what runs and waits for it, or until it is clear that it does not listen. */
  async close(): Promise<void> {
    this.closing.abort(new AppError({ kind: 'canceled', code: 'subscription_closed', message: 'The subscription closes.' }));
    await Promise.allSettled(this.running);
  }

  private within(closing: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<AttemptOutcome> {
    const deadlineMs = this.consumer.deadlineMs ?? DEFAULT_DEADLINE_MS;
    return attemptDelivery(work, { deadlineMs, graceMs: this.graceMs, closing });
  }
}
