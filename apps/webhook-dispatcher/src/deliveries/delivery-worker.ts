import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@parlance/platform';
import { CLOCK, LOGGER } from '@parlance/runtime';
import type { Stored } from '@parlance/storage';
import type { Task, TaskContext, TaskWorker } from '@parlance/task-queue';
import { DispatcherSettings } from '../dispatcher-settings.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { Deliveries } from './deliveries.js';
import { DeliveryAttempts } from './delivery-attempts.js';
import { DeliveryChoice } from './delivery-choice.js';
import type { WebhookDelivery } from './delivery.js';
import { WEBHOOK_QUEUE, type ReceiverTask } from './delivery-queue.js';
import { partsOfReceiverId } from './receiver-id.js';
import { ReceiverTurn } from './receiver-turn.js';

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
    @Inject(DeliveryChoice) private readonly choice: DeliveryChoice,
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
    const requested = probe === undefined ? undefined : await this.deliveries.pending(probe, receiverId);
    const turn = new ReceiverTurn(circuit, requested !== undefined, this.clock, [lease, draining]);
    const due = requested ? [requested] : turn.mayBegin ? await this.deliveries.due(receiverId, PER_TURN) : [];

    await inParallel(turn.isClosed ? PER_RECEIVER : 1, byJob(due), (ofJob) => this.sendInOrder(ofJob, turn));

    const next = await this.deliveries.nextDueAt(receiverId);
    // Another worker has the receiver, and its circuit, once the lease is lost.
    lease.throwIfAborted();
    if (requested && turn.tries === 0) return { again: this.clock.now() };
    const after = next === undefined ? undefined : turn.circuit;
    if (after !== circuit || probe !== undefined) await this.circuits.save(receiverId, after, probe);
    if (next !== undefined) return { again: new Date(turn.openUntil > next ? turn.openUntil : next) };
  }

  private async sendInOrder(due: readonly Stored<WebhookDelivery>[], turn: ReceiverTurn): Promise<void> {
    for (const each of due) {
      const next = await this.choice.next(each, !turn.isClosed);
      if (!next) continue;
      if (!turn.mayBegin) return;
      turn.ended(await this.attempts.attempt(next));
    }
  }
}

/** By job and address, each in the order of its events. */
function byJob(due: readonly Stored<WebhookDelivery>[]): Stored<WebhookDelivery>[][] {
  const groups = Map.groupBy(due, ({ document: { id, jobId = id, url } }) => `${jobId} ${url}`);
  return [...groups.values()].map((group) => group.toSorted((a, b) => a.document.sequence - b.document.sequence));
}

async function inParallel<T>(count: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const workNext = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  const ends = await Promise.allSettled(Array.from({ length: Math.min(count, items.length) }, workNext));
  // Waits for the last attempt: another worker may lease the receiver afterwards.
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}
