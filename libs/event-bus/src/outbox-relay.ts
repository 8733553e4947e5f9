import type { Logger } from '@parlance/platform';
import { retryDelay } from './delivery/retry-delay.js';
import type { EventBus, RetryPolicy } from './event-bus.js';
import type { OutboxSource } from './outbox-source.js';

export interface OutboxRelayOptions {
  outbox: OutboxSource;
  bus: Pick<EventBus, 'publish'>;
  log: Logger;
  /** Commits published at once. Default 100. */
  batchSize?: number;
  /** Milliseconds between looks when no commit wakes the relay (one of another process, or before a crash). Default 1 s. */
  pollMs?: number;
  random?: () => number;
}

/** While the bus does not take events. */
const BACK_OFF: RetryPolicy = { maxAttempts: Infinity, initialDelayMs: 100, maxDelayMs: 10_000 };

/** Moves events from an outbox to the bus: in order, at least once, under the id they were stored with. */
export class OutboxRelay {
  private readonly batchSize: number;
  private readonly pollMs: number;
  private readonly random: () => number;
  private closing = false;
  private committed = false;
  private running: Promise<void> | undefined;
  private wake: () => void = () => {};

  constructor(private readonly options: OutboxRelayOptions) {
    this.batchSize = options.batchSize ?? 100;
    this.pollMs = options.pollMs ?? 1000;
    this.random = options.random ?? Math.random;
  }

  start(): void {
    this.options.outbox.onCommit(() => {
      this.committed = true;
      this.wake();
    });
    this.running ??= this.run();
  }

  /** Publishes what is pending, as long as the bus takes it, and stops. */
  async close(): Promise<void> {
    this.closing = true;
    this.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    for (let failures = 0; ; ) {
      this.committed = false;
      const lastLook = this.closing;
      try {
        const relayed = await this.relayBatch();
        failures = 0;
        if (relayed === this.batchSize) continue;
        if (lastLook && relayed === 0) return;
      } catch (error) {
        failures += 1;
        this.options.log.warn({ err: error, failures }, 'events wait in the outbox');
        if (this.closing) return;
      }
      if (failures > 0) await this.pause(retryDelay(failures, BACK_OFF, this.random()), 'until closed');
      else if (!this.committed && !this.closing) await this.pause(this.pollMs, 'until woken');
    }
  }

  private async relayBatch(): Promise<number> {
    const pending = await this.options.outbox.pending(this.batchSize);
    if (pending.length === 0) return 0;
    await this.options.bus.publish(pending.flatMap(({ events }) => events));
    await this.options.outbox.settle(pending);
    return pending.length;
  }

  private pause(milliseconds: number, until: 'until woken' | 'until closed'): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.wake = () => {
        if (until === 'until closed' && !this.closing) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
