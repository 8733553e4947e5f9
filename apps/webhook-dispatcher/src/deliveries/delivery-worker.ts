import { Inject, Injectable } from '@nestjs/common';
import { settleAll, type Clock, type Logger } from '@parlance/platform';
import { CLOCK, LOGGER } from '@parlance/runtime';
import type { Stored } from '@parlance/storage';
import type { Task, TaskContext, TaskWorker } from '@parlance/task-queue';
import { DispatcherSettings } from '../webhook-dispatcher.config.js';
import { circuitAfter, isOpen, type AttemptEnd, type Circuit } from './circuit.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { Deliveries } from './deliveries.js';
import { DeliveryAttempts } from './delivery-attempts.js';
import { partsOfReceiverId, type WebhookDelivery } from './delivery.js';
import { WEBHOOK_QUEUE, type ReceiverTask } from './delivery-queue.js';

/** Requests to one receiver at the same time. */
const PER_RECEIVER = 2;
/** Deliveries of one turn. Then it is the turn of another receiver, if one waits. */
const PER_TURN = 4;
/** Slow receivers that are waited for beside the others. Each costs a socket or two. */
const MAX_SLOW = 4_096;
/** One account, and one origin over all accounts, gets at most this part of the places, so that the others keep theirs when it hangs. */
const SHARE = 1 / 4;
/** Places of one account at least, so that a receiver that hangs does not delay the account's others. */
const MIN_OF_ACCOUNT = 2;
/** A turn begins no attempt later than that. */
const TURN_MS = 3_000;
/** Milliseconds that a turn may take beyond its last request. */
const OVERHEAD_MS = 60_000;
/** A receiver is served again after that time when something of ours failed, such as the database. */
const AFTER_ERROR_MS = 5_000;

/** Sends what is due, one receiver a task. The README has a figure of it. */
@Injectable()
export class DeliveryWorker {
  constructor(
    @Inject(Deliveries) private readonly deliveries: Deliveries,
    @Inject(CircuitBreaker) private readonly circuits: CircuitBreaker,
    @Inject(DeliveryAttempts) private readonly attempts: DeliveryAttempts,
    @Inject(DispatcherSettings) private readonly settings: DispatcherSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  get taskWorker(): TaskWorker<ReceiverTask> {
    const { concurrency, slowAfterMs, timeoutMs } = this.settings;
    return {
      queue: WEBHOOK_QUEUE,
      capacity: concurrency,
      slow: { afterMs: slowAfterMs, capacity: MAX_SLOW },
      limits: [
        { nameOf: ({ accountId }) => accountId, part: SHARE, min: MIN_OF_ACCOUNT },
        { nameOf: ({ group }) => partsOfReceiverId(group).origin, part: SHARE, min: 1 },
      ],
      deadlineMs: timeoutMs + OVERHEAD_MS,
      maxTakeOvers: Infinity,
      retry: { maxAttempts: Infinity, initialDelayMs: AFTER_ERROR_MS, maxDelayMs: AFTER_ERROR_MS },
      perform: (task, context) => this.perform(task, context),
    };
  }

  /** Serves the receiver for one turn. @returns when it has something due again */
  async perform({ payload: { receiverId } }: Pick<Task<ReceiverTask>, 'payload'>, { signal, draining }: Pick<TaskContext, 'signal' | 'draining'>): Promise<{ again: Date } | void> {
    try {
      return await this.serve(receiverId, signal, draining);
    } catch (error) {
      if (signal.aborted) throw error;
      // The deliveries are stored, and no failure of ours counts against them.
      this.log.error({ err: error, origin: partsOfReceiverId(receiverId).origin }, 'serving a webhook receiver failed; trying again');
      return { again: new Date(this.clock.now().getTime() + AFTER_ERROR_MS) };
    }
  }

  private async serve(receiverId: string, lease: AbortSignal, draining: AbortSignal): Promise<{ again: Date } | void> {
    const { circuit, probe } = await this.circuits.of(receiverId);
    const requested = probe === undefined ? undefined : await this.requested(probe, receiverId);
    const turn = new ReceiverTurn(circuit, requested !== undefined, this.clock, [lease, draining]);
    const groups = byJob(requested ? [requested] : await this.due(receiverId)).values();

    const lanes = turn.isClosed ? PER_RECEIVER : 1;
    await settleAll(Array.from({ length: lanes }, async () => {
      for (const ofJob of groups) await this.sendInOrder(ofJob, turn);
    }));

    const [next] = await this.deliveries.pending(receiverId, 1);
    // Another worker has the receiver, and its circuit, once the lease is lost.
    lease.throwIfAborted();
    if (requested && turn.attempts === 0) return { again: this.clock.now() };
    const after = next && turn.circuit;
    if (after !== circuit || probe !== undefined) await this.circuits.save(receiverId, after, probe);
    if (next) return { again: new Date(turn.openUntil > next.document.nextAttemptAt ? turn.openUntil : next.document.nextAttemptAt) };
  }

  /** The delivery that the owner requested, if it still waits for this receiver. */
  private async requested(id: string, receiverId: string): Promise<Stored<WebhookDelivery> | undefined> {
    const stored = await this.deliveries.collection.get(id);
    return stored?.document.status === 'pending' && stored.document.receiverId === receiverId ? stored : undefined;
  }

  private async due(receiverId: string): Promise<Stored<WebhookDelivery>[]> {
    const now = this.clock.now().toISOString();
    return (await this.deliveries.pending(receiverId, PER_TURN)).filter(({ document }) => document.nextAttemptAt <= now);
  }

  private async sendInOrder(due: readonly Stored<WebhookDelivery>[], turn: ReceiverTurn): Promise<void> {
    for (const each of due) {
      if (!turn.mayBegin) return;
      const next = await this.attempts.choose(each, !turn.isClosed);
      if (next) turn.ended(await this.attempts.attempt(next));
    }
  }
}

/** By job and address, each in the order of its events. */
function byJob(due: readonly Stored<WebhookDelivery>[]): Stored<WebhookDelivery>[][] {
  const groups = Map.groupBy(due, ({ document: { id, jobId = id, url } }) => `${jobId} ${url}`);
  return [...groups.values()].map((group) => group.toSorted((a, b) => a.document.sequence - b.document.sequence));
}

/** One turn of a receiver: its attempts, and the circuit after them. */
class ReceiverTurn {
  attempts = 0;
  private readonly endsAt: number;

  /**
   * @param isRequested the account's owner waits for a delivery: one attempt is made even while the circuit is open
   * @param stops abort when the process stops, or another worker has the lease
   */
  constructor(
    public circuit: Circuit | undefined,
    private readonly isRequested: boolean,
    private readonly clock: Clock,
    private readonly stops: readonly AbortSignal[],
  ) {
    this.endsAt = this.now + TURN_MS;
  }

  get isClosed(): boolean {
    return !isOpen(this.circuit);
  }

  /** RFC 3339; empty while the circuit is closed. */
  get openUntil(): string {
    return this.circuit?.openUntil ?? '';
  }

  /** A circuit that was open for its time lets one attempt through. */
  get mayBegin(): boolean {
    if (this.stops.some(({ aborted }) => aborted) || this.now >= this.endsAt) return false;
    return this.isClosed || (this.attempts === 0 && (this.isRequested || Date.parse(this.openUntil) <= this.now));
  }

  ended(end: AttemptEnd): void {
    this.attempts += 1;
    this.circuit = circuitAfter(this.circuit, end);
  }

  private get now(): number {
    return this.clock.now().getTime();
  }
}
