import { Inject, Injectable } from '@nestjs/common';
import { inTrace, settleAll, type Clock } from '@parlance/platform';
import { CLOCK } from '@parlance/runtime';
import type { Stored } from '@parlance/storage';
import type { Task, TaskContext, TaskWorker } from '@parlance/task-queue';
import { DispatcherSettings } from '../webhook-dispatcher.config.js';
import { circuitAfter, CircuitBreaker, isOpen, type Circuit } from './circuit-breaker.js';
import { Deliveries } from './deliveries.js';
import { DeliveryAttempts } from './delivery-attempts.js';
import { isRequested, partsOfReceiverId, type Outcome, type WebhookDelivery } from './delivery.js';
import { WEBHOOK_QUEUE } from './delivery-queue.js';

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
  ) {}

  get taskWorker(): TaskWorker {
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
      perform: (task, context) => this.serve(task, context),
    };
  }

  /** Serves the receiver for one turn. A failure of ours counts against no delivery. @returns when it has something due again */
  async serve({ group: receiverId }: Pick<Task, 'group'>, { signal: lease, draining }: Pick<TaskContext, 'signal' | 'draining'>): Promise<{ again: Date } | void> {
    const circuit = await this.circuits.of(receiverId);
    const due = await this.due(receiverId);
    const turn = new ReceiverTurn(circuit, due.some(({ document }) => isRequested(document)), this.clock, this.settings.random, [lease, draining]);

    const groups = byJob(due).values();
    const lanes = turn.isClosed ? PER_RECEIVER : 1;
    let next: Stored<WebhookDelivery> | undefined;
    try {
      await settleAll(Array.from({ length: lanes }, async () => {
        for (const ofJob of groups) await this.sendInOrder(ofJob, turn, lease);
      }));
    } finally {
      [next] = await this.deliveries.pending(receiverId, 1);
      const after = next && turn.circuit;
      // Another worker has the receiver, and its circuit, once the lease is lost.
      if (!lease.aborted && after !== circuit) await this.circuits.save(receiverId, after);
    }
    lease.throwIfAborted();
    if (next) return { again: isRequested(next.document) ? this.clock.now() : turn.notBefore(next.document.nextAttemptAt) };
  }

  /** The deliveries whose time has come; only the one that the account's owner requested, if there is one. */
  private async due(receiverId: string): Promise<Stored<WebhookDelivery>[]> {
    const now = this.clock.now().toISOString();
    const due = (await this.deliveries.pending(receiverId, PER_TURN)).filter(({ document }) => document.nextAttemptAt <= now);
    return due.some(({ document }) => isRequested(document)) ? due.slice(0, 1) : due;
  }

  private async sendInOrder(due: readonly Stored<WebhookDelivery>[], turn: ReceiverTurn, lease: AbortSignal): Promise<void> {
    for (const each of due) {
      if (!turn.mayBegin) return;
      const next = await this.attempts.choose(each, !turn.isClosed);
      if (next) turn.ended(await inTrace(next.document.traceparent, () => this.attempts.attempt(next, lease)));
    }
  }
}

/** By job and address, each in the order of its events. */
function byJob(due: readonly Stored<WebhookDelivery>[]): Stored<WebhookDelivery>[][] {
  const groups = Map.groupBy(due, ({ document: { id, jobId = id, url } }) => `${jobId} ${url}`);
  return [...groups.values()].map((group) => group.toSorted((a, b) => a.document.sequence - b.document.sequence));
}

/** One turn of a receiver: its circuit after each attempt, and whether another may begin. */
class ReceiverTurn {
  private readonly endsAt: number;
  /** One attempt is made although the circuit is open: it was open for its time, or the account's owner waits for it. */
  private mayProbe: boolean;

  /** @param stops abort when the process stops, or another worker has the lease */
  constructor(
    public circuit: Circuit | undefined,
    hasRequested: boolean,
    private readonly clock: Clock,
    private readonly random: () => number,
    private readonly stops: readonly AbortSignal[],
  ) {
    const now = clock.now();
    this.endsAt = now.getTime() + TURN_MS;
    this.mayProbe = hasRequested || (circuit?.openUntil ?? '') <= now.toISOString();
  }

  get isClosed(): boolean {
    return !isOpen(this.circuit);
  }

  get mayBegin(): boolean {
    if (this.stops.some(({ aborted }) => aborted) || this.clock.now().getTime() >= this.endsAt) return false;
    return this.isClosed || this.mayProbe;
  }

  ended(outcome: Outcome | undefined): void {
    this.mayProbe = false;
    if (outcome) this.circuit = circuitAfter(this.circuit, outcome, this.clock.now(), this.random());
  }

  /** That time (RFC 3339), or when the circuit closes. */
  notBefore(time: string): Date {
    const { openUntil = '' } = this.circuit ?? {};
    return new Date(openUntil > time ? openUntil : time);
  }
}
