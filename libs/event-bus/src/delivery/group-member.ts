import { AppError, attemptWork, pause, retryDelay, toAppError, triesAfterFailure, withTimeout, type AttemptOutcome, type Logger, type Tries } from '@parlance/platform';
import { inTurns } from './in-turns.js';
import { DEFAULT_RETRY, type Consumer, type Delivery, type OutboxEvent, type RetryPolicy } from '../event-bus.js';

const DEFAULT_CONCURRENCY = 8;
const DEFAULT_DEADLINE_MS = 60_000;

const DEFAULT_GRACE_MS = 5000;

/** The time that running handlers have when their subscription closes. */
export interface ClosingTimes {
  /** Milliseconds to end by themselves before their signal is aborted. Default 0. */
  drainMs?: number | undefined;
  /** Milliseconds to end after their signal was aborted, then or at a deadline. A handler that takes longer is abandoned. Default 5 s. */
  graceMs?: number | undefined;
}

/** One subscription of a group: runs its handlers, within their time and up to its concurrency. */
export class GroupMember {
  readonly retry: RetryPolicy;
  private readonly draining = new AbortController();
  private readonly closing = new AbortController();
  private readonly running = new Set<Promise<unknown>>();
  /** Handlers at once. */
  readonly concurrency: number;
  private readonly consumer: Consumer;

  constructor(
    consumer: Consumer,
    private readonly times: ClosingTimes,
    private readonly log: Logger,
  ) {
    this.consumer = consumer.turns ? inTurns(consumer, consumer.turns) : consumer;
    this.retry = consumer.retry ?? DEFAULT_RETRY;
    this.concurrency = this.consumer.concurrency ?? DEFAULT_CONCURRENCY;
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
    const draining = this.draining.signal;
    return this.within(closing, this.consumer.deadlineMs, (signal) => {
      const event = decode();
      const handler = this.consumer.handlers[event.type] as (delivery: Delivery) => Promise<void>;
      return handler({ event, attempt, maxAttempts, signal, draining });
    });
  }

  /** @returns as `triesAfterFailure` */
  failed(tries: Tries, error: unknown, random: number): number | undefined {
    const next = triesAfterFailure(tries, this.retry, error, random);
    if (!next) return undefined;
    Object.assign(tries, next.tries);
    return next.delayMs;
  }

  /**
   * Calls the consumer's `giveUp` for an event: again and again while that fails for a reason that passes, such as a full disk,
   * since nothing else reports the failure to the job. @returns what becomes of the event, or that closing came between.
   */
  async giveUp(decode: () => OutboxEvent, error: unknown, closing = this.closing.signal): Promise<'settled' | 'dead letter' | 'interrupted'> {
    const { giveUp, turns, deadlineMs } = this.consumer;
    if (!giveUp) return 'dead letter';
    for (let tries = 1; ; tries += 1) {
      let end: 'settled' | 'dead letter' = 'dead letter';
      const outcome = await this.within(closing, turns?.deadlineMs ?? deadlineMs, async () => {
        end = (await giveUp(decode(), error)) ?? end;
      });
      if (outcome.outcome === 'interrupted') return 'interrupted';
      if (outcome.outcome === 'done') return end;
      this.log.error({ err: outcome.error }, 'giving up on an event failed');
      if (!toAppError(outcome.error).retryable) return 'dead letter';
      await pause(retryDelay(tries, DEFAULT_RETRY, 1), closing);
      if (closing.aborted) return 'interrupted';
    }
  }

  /** An event has become a dead letter. */
  deadLettered(): void {
    this.consumer.deadLettered?.();
  }

  /** Lets what runs end, then aborts it and waits for it, or until it is clear that it does not listen. */
  async close(): Promise<void> {
    await this.drained();
    this.closing.abort(subscriptionCloses());
    await Promise.allSettled(this.running);
  }

  /** Resolves when nothing runs any longer, or the time for that is over. */
  async drained(): Promise<void> {
    this.draining.abort(subscriptionCloses());
    const { drainMs = 0 } = this.times;
    if (this.running.size === 0 || drainMs === 0) return;
    await withTimeout(drainMs, Promise.allSettled(this.running), () => undefined);
  }

  private within(closing: AbortSignal, deadlineMs: number | undefined, work: (signal: AbortSignal) => Promise<void>): Promise<AttemptOutcome> {
    return attemptWork(work, { deadlineMs: deadlineMs ?? DEFAULT_DEADLINE_MS, graceMs: this.times.graceMs ?? DEFAULT_GRACE_MS, closing, draining: this.draining.signal });
  }
}

const subscriptionCloses = (): AppError => new AppError({ kind: 'canceled', code: 'subscription_closed', message: 'The subscription closes.' });
