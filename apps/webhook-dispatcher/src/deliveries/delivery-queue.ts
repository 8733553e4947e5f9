import type { Clock, Logger } from '@parlance/platform';
import { FairTurns } from './fair-turns.js';
import type { OfferedDelivery } from './offered-delivery.js';
import type { ReceiverLease, Receivers } from './receivers.js';
import type { ReceiverTurns } from './receiver-turn.js';
import { WakeSignal } from './wake-signal.js';

/** What a lease lasts beyond the time-out of a try: for the turn before its last try, reading and writing the documents. */
const LEASE_MARGIN_MS = 5_000;
/**
 * Nobody hears of what other replicas, or `parlance-admin`, store; all look again after this time at the latest. What was
 * stored while they looked, due before that, is found when DuePages reads all again.
 */
const MAX_SLEEP_MS = 5_000;
const SLEEP_AFTER_ERROR_MS = 1_000;

export interface DeliveryQueueOptions {
  receivers: Receivers;
  turns: Pick<ReceiverTurns, 'serve'>;
  clock: Clock;
  log: Logger;
  timeoutMs: number;
  /** Receivers served at once. */
  concurrency: number;
  slowAfterMs?: number;
}

/** Makes the tries that are due, each receiver in its own line; its whole state is in the documents. */
export class DeliveryQueue {
  private readonly signal = new WakeSignal();
  private readonly turns: FairTurns;
  private loop: Promise<void> | undefined;
  private closing = false;
  /** Some wait for a share, and not only for their lease to be written. */
  private crowded = false;

  constructor(private readonly options: DeliveryQueueOptions) {
    const { concurrency, slowAfterMs } = options;
    this.turns = new FairTurns({ limit: concurrency, ...(slowAfterMs !== undefined && { slowAfterMs }), onRoom: () => this.wake() });
  }

  start(): void {
    this.loop ??= this.run();
  }

  /** Something became due. */
  wake(): void {
    this.signal.wake();
  }

  /** Has it tried before it is stored, when its receiver is served here or may be at once; declines it else. */
  offer(delivery: OfferedDelivery): void {
    const { receivers } = this.options;
    const { receiverId } = delivery.document;
    if (!receivers.isHeld(receiverId) && this.mayClaim(receiverId)) this.begin(receiverId, receivers.claim(receiverId, this.leaseMs));
    receivers.offer(delivery);
  }

  /** Nobody waits whose turn it would be before. */
  private mayClaim(receiverId: string): boolean {
    return this.loop !== undefined && this.isAlone && !this.options.receivers.someWait && this.turns.mayBegin(receiverId);
  }

  /** Takes nothing more and waits for the tries that run. */
  async close(): Promise<void> {
    this.closing = true;
    this.wake();
    await this.loop;
    await this.turns.ended();
  }

  private async run(): Promise<void> {
    while (!this.closing) {
      await this.signal.sleep(await this.beginDueTurns());
    }
  }

  /** @returns milliseconds until it makes sense to look again; the end of a turn wakes the queue as well. */
  private async beginDueTurns(): Promise<number> {
    const { receivers, clock, log } = this.options;
    try {
      while (!this.closing && !this.turns.full) {
        const since = clock.now();
        const lease = await receivers.takeDue(this.leaseMs, this.turns);
        if (lease) {
          this.begin(lease.document.id, Promise.resolve(lease));
          continue;
        }
        this.crowded = receivers.someWait;
        // What was due before waits for its share, and so for the end of a turn.
        return Math.min(untilDue(await receivers.earliestDueAt(since), clock), MAX_SLEEP_MS);
      }
      return MAX_SLEEP_MS;
    } catch (error) {
      log.error({ err: error }, 'looking for due webhooks failed');
      return SLEEP_AFTER_ERROR_MS;
    }
  }

  private begin(receiverId: string, leased: Promise<ReceiverLease | undefined>): void {
    const { log } = this.options;
    const turn = this.serve(leased).catch((error: unknown) => log.error({ err: error }, 'serving a webhook receiver failed; its lease will run out'));
    this.turns.begin(receiverId, turn);
  }

  private async serve(leased: Promise<ReceiverLease | undefined>): Promise<void> {
    const { receivers, turns } = this.options;
    const lease = await leased;
    if (!lease) return;
    try {
      await turns.serve(lease, () => this.isAlone, (current, circuit) => receivers.renew(current, circuit, this.leaseMs));
    } finally {
      receivers.letGo(lease);
    }
  }

  /** Nobody else waits for a turn. */
  private get isAlone(): boolean {
    return !this.closing && !this.turns.full && !this.crowded;
  }

  private get leaseMs(): number {
    return this.options.timeoutMs + LEASE_MARGIN_MS;
  }
}

const untilDue = (dueAt: Date | undefined, clock: Clock): number =>
  dueAt ? Math.max(0, dueAt.getTime() - clock.now().getTime()) : Infinity;
