import { AppError, AsyncSignal, failureReason, notFound, pause, retryDelay, systemClock, type Clock, type Logger } from '@parlance/platform';
import { inSendSpans } from './send-spans.js';
import { REFUSED_EVENT_RETENTION_MS } from './dead-letter-retention.js';
import { TELLS_OF_ERASURE } from './erasable.js';
import type { EventBus, OutboxEvent } from './event-bus.js';
import type { OutboxSource } from './outbox-source.js';

interface OutboxRelayOptions {
  outbox: OutboxSource;
  bus: Pick<EventBus, 'publish'>;
  log: Logger;
  /** Default: the system's. */
  clock?: Clock;
  /** Commits published at once. Default 100. */
  batchSize?: number;
  /** Milliseconds between looks when no commit wakes the relay (one of another process, or before a crash). Default 1 s. */
  pollMs?: number;
  random?: () => number;
  /** Receives the events that the bus has accepted. */
  onPublished?: (events: readonly OutboxEvent[]) => void;
}

/** While the bus does not take events. */
const BACK_OFF = { initialDelayMs: 100, maxDelayMs: 10_000 };

/** More than an operator lets come together. */
const ALL_REFUSED = 10_000;
/** Milliseconds between two removals of set-aside events that are too old. */
const FORGET_EVERY_MS = 60 * 60 * 1000;

/**
 * Moves events from an outbox to the bus: in order, at least once, under the id they were stored with. One that the bus
 * refuses for good is set aside, so that it holds nothing up.
 */
export class OutboxRelay {
  private readonly batchSize: number;
  private readonly pollMs: number;
  private readonly random: () => number;
  private readonly committed = new AsyncSignal();
  private readonly closing = new AbortController();
  private running: Promise<void> | undefined;
  private readonly clock: Clock;
  private forgotAt = -Infinity;

  constructor(private readonly options: OutboxRelayOptions) {
    this.batchSize = options.batchSize ?? 100;
    this.pollMs = options.pollMs ?? 1000;
    this.random = options.random ?? Math.random;
    this.clock = options.clock ?? systemClock;
  }

  start(): void {
    this.options.outbox.onCommit(() => this.committed.notify());
    this.running ??= this.run();
  }

  /** Publishes what is pending, as long as the bus takes it, and stops. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.closing;
    for (let failures = 0; ; ) {
      const lastLook = signal.aborted;
      try {
        const relayed = await this.relayBatch();
        failures = 0;
        if (relayed === this.batchSize) continue;
        if (lastLook && relayed === 0) return;
      } catch (error) {
        failures += 1;
        this.options.log.warn({ err: error, failures }, 'events are waiting in the outbox');
        if (signal.aborted) return;
      }
      if (failures > 0) await pause(retryDelay(failures, BACK_OFF, this.random()), signal);
      else await this.committed.wait(this.pollMs, signal);
    }
  }

  private async relayBatch(): Promise<number> {
    const { outbox } = this.options;
    await this.forgetOldRefused();
    const pending = await outbox.pending(this.batchSize);
    if (pending.length === 0) return 0;
    const events = pending.flatMap((commit) => commit.events);
    await this.publish(events);
    await this.eraseRefused(events);
    await outbox.settle(pending);
    return pending.length;
  }

  /** All together; when one of them is refused for good, in halves, in order, until it is found. */
  private async publish(events: readonly OutboxEvent[]): Promise<void> {
    try {
      await inSendSpans(events, () => this.options.bus.publish(events));
      this.options.onPublished?.(events);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const [only, ...more] = events;
      if (only !== undefined && more.length === 0) return this.setAside(only, error);
      const middle = Math.ceil(events.length / 2);
      await this.publish(events.slice(0, middle));
      await this.publish(events.slice(middle));
    }
  }

  private async setAside(event: OutboxEvent, error: AppError): Promise<void> {
    const { outbox, log } = this.options;
    await outbox.setAside(event, failureReason(error));
    log.error({ err: error, event_id: event.id, event_type: event.type, key: event.key }, 'the bus refused an event; it was set aside');
  }

  /** The service has said its last of these jobs: what was refused of them lies aside by now. */
  private async eraseRefused(events: readonly OutboxEvent[]): Promise<void> {
    const last = events.filter(({ type }) => TELLS_OF_ERASURE.has(type));
    for (const key of new Set(last.map((event) => event.key))) await this.options.outbox.eraseRefused(key);
  }

  private async forgetOldRefused(): Promise<void> {
    const now = this.clock.now().getTime();
    if (Math.abs(now - this.forgotAt) < FORGET_EVERY_MS) return;
    await this.options.outbox.forgetRefused(new Date(now - REFUSED_EVENT_RETENTION_MS));
    this.forgotAt = now;
  }
}

/** The event is at fault, and not the bus: that would refuse every one. */
const isRefusal = (error: unknown): error is AppError => error instanceof AppError && REFUSALS.has(error.kind);
const REFUSALS: ReadonlySet<AppError['kind']> = new Set<AppError['kind']>(['invalid', 'too_large']);

/** Publishes an event that was set aside, after an operator has removed the cause. @throws AppError not_found, or what the bus says */
export async function replayRefused({ outbox, bus }: Pick<OutboxRelayOptions, 'outbox' | 'bus'>, eventId: string): Promise<void> {
  const refused = (await outbox.refused(ALL_REFUSED)).find(({ event }) => event.id === eventId);
  if (!refused) throw notFound('The refused event');
  await bus.publish([refused.event]);
  await outbox.dropRefused(eventId);
}
