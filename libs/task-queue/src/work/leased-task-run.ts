import { AppError, attemptWork, DEFAULT_RETRY, failureReason, pause, retryDelay, toAppError, triesAfterFailure, type Backoff } from '@parlance/platform';
import type { LeasedTask, LeaseEnd, LeaseTries, TaskStore } from '../store/task-store.js';
import type { Again, Task, TaskWorker } from '../task-queue.js';
import type { HeldLease } from './held-leases.js';
import { DEFAULT_LEASE_TIMES, DEFAULT_MAX_TAKE_OVERS, type TaskOutcome, type TaskQueueOptions } from './queue-options.js';

const DEFAULT_GRACE_MS = 5000;

const MAX_TAKE_OVER_DELAY_MS = 60_000;

/** While the store is away. */
const STORE_RETRY: Backoff = { initialDelayMs: 100, maxDelayMs: 3000 };

export interface RunParts {
  store: TaskStore;
  worker: TaskWorker;
  options: TaskQueueOptions;
  draining: AbortSignal;
  /** Aborts when there is no more time to store how tasks ended. */
  abandoned: AbortSignal;
}

/** The end of a try, and when the task is due again if it is. */
export interface RunEnd extends LeaseEnd {
  outcome: TaskOutcome;
}

/** One try of a leased task, and how it ends. */
export class LeasedTaskRun {
  private readonly task: Task;

  constructor(
    private readonly leased: LeasedTask,
    private readonly lease: HeldLease,
    private readonly parts: RunParts,
  ) {
    this.task = toTask(leased);
  }

  async run(): Promise<RunEnd> {
    const { takeOvers, isTakenOver, tries } = this.leased;
    const { worker, options } = this.parts;
    const maxTakeOvers = worker.maxTakeOvers ?? options.maxTakeOvers ?? DEFAULT_MAX_TAKE_OVERS;
    if (takeOvers > maxTakeOvers) return this.failForGood(workersLost(takeOvers));
    // Workers that die of it do not die at once again, and other tasks that ran beside it end meanwhile.
    if (isTakenOver && takeOvers > 1 && maxTakeOvers < Infinity) return this.putBack({ ...tries, takeOvers }, this.afterTakeOvers(takeOvers), 'put back');
    return this.perform();
  }

  private async perform(): Promise<RunEnd> {
    const { worker, draining } = this.parts;
    let again: Again | undefined;
    const ended = await this.attempt(async (signal) => {
      again = (await worker.perform(this.task, { signal, draining, maxAttempts: worker.retry.maxAttempts })) ?? undefined;
    });
    if (ended.outcome === 'failed') return this.failed(ended.error);
    if (ended.outcome === 'interrupted') return this.handBack();
    if (again) return this.putBack(again.hasProgressed ? { attempt: 1 } : this.leased.tries, again.again, 'put back');
    return this.complete();
  }

  private async complete(): Promise<RunEnd> {
    const end = await this.store((store) => store.complete(this.lease));
    return end ? { ...end, outcome: 'completed' } : this.lost();
  }

  private async failed(error: unknown): Promise<RunEnd> {
    const { worker, options } = this.parts;
    const isFinal = worker.isFinal?.(error) ?? false;
    const next = isFinal ? undefined : triesAfterFailure(this.leased.tries, worker.retry, error, this.random());
    if (!next) return this.failForGood(error);
    options.log.warn({ ...this.logFields, err: error, retry_ms: Math.round(next.delayMs) }, 'a task failed; trying again');
    return this.putBack(next.tries, new Date(options.clock.now().getTime() + next.delayMs), 'retried');
  }

  private async failForGood(error: unknown): Promise<RunEnd> {
    const { options } = this.parts;
    const end = await this.giveUp(error);
    if (end === 'lost') return this.lost();
    if (end === 'interrupted') return this.handBack();
    if (end === 'settled') return this.complete();
    const isDead = await this.store((store) => store.bury(this.lease, failureReason(error), options.clock.now()));
    return isDead ? { outcome: 'dead' } : this.lost();
  }

  /**
   * Reports the failure, again and again while that fails for a reason that passes: nothing else would report it. The lease is
   * prolonged before: a worker that lost it must not report the failure of a task that another worker performs.
   */
  private async giveUp(error: unknown): Promise<'settled' | 'dead' | 'interrupted' | 'lost'> {
    const { worker, options } = this.parts;
    if (!worker.giveUp) return 'dead';
    for (let tries = 1; ; tries += 1) {
      if (!(await this.store((store) => store.renew(this.lease)))) return 'lost';
      let settled: 'settled' | void = undefined;
      const ended = await this.attempt(async () => {
        settled = await worker.giveUp?.(this.task, error);
      });
      if (ended.outcome === 'interrupted') return 'interrupted';
      if (ended.outcome === 'done') return settled ?? 'dead';
      options.log.error({ ...this.logFields, err: ended.error }, 'giving up a task failed');
      if (!toAppError(ended.error).retryable) return 'dead';
      await pause(retryDelay(tries, DEFAULT_RETRY, 1), this.lease.signal);
      if (this.lease.signal.aborted) return 'interrupted';
    }
  }

  /** The worker closes: another may begin the task at once. */
  private async handBack(): Promise<RunEnd> {
    const { tries, takeOvers } = this.leased;
    return this.putBack({ ...tries, takeOvers }, this.parts.options.clock.now(), 'interrupted');
  }

  private async putBack(tries: LeaseTries, dueAt: Date, outcome: TaskOutcome): Promise<RunEnd> {
    const end = await this.store((store) => store.putBack(this.lease, tries, dueAt));
    return end ? { ...end, outcome } : this.lost();
  }

  /** Until the store has answered: how a task ended must not be lost to an outage. @returns undefined when the lease is lost */
  private async store<T>(write: (store: TaskStore) => Promise<T>): Promise<T | undefined> {
    const { store, options, abandoned } = this.parts;
    for (let tries = 1; !this.lease.isLost; tries += 1) {
      try {
        return await write(store);
      } catch (error) {
        options.log.warn({ ...this.logFields, err: error }, 'the end of a task could not be stored; trying again');
        if (abandoned.aborted) return undefined;
        await pause(retryDelay(tries, STORE_RETRY, Math.random()), abandoned);
      }
    }
    return undefined;
  }

  private lost(): RunEnd {
    this.parts.options.log.info(this.logFields, 'the task was removed, or another worker has it');
    return { outcome: 'lease lost' };
  }

  private attempt(work: (signal: AbortSignal) => Promise<void>) {
    const { worker, options, draining } = this.parts;
    return attemptWork(work, { deadlineMs: worker.deadlineMs, graceMs: options.graceMs ?? DEFAULT_GRACE_MS, closing: this.lease.signal, draining });
  }

  private afterTakeOvers(takeOvers: number): Date {
    const { times = DEFAULT_LEASE_TIMES, clock } = this.parts.options;
    const delayMs = retryDelay(takeOvers - 1, { initialDelayMs: times.takeOverDelayMs, maxDelayMs: MAX_TAKE_OVER_DELAY_MS }, this.random());
    return new Date(clock.now().getTime() + delayMs);
  }

  private random(): number {
    return (this.parts.options.random ?? Math.random)();
  }

  private get logFields() {
    return { queue: this.leased.queue, task: this.leased.id, account_id: this.leased.accountId };
  }
}

const workersLost = (takeOvers: number): AppError =>
  new AppError({ kind: 'internal', code: 'internal', message: `${takeOvers} workers died or lost contact while they had the task.`, retryable: false });

function toTask({ id, accountId, group, isBackground, key, priority, audioSeconds, payload, traceparent, enqueuedAt, dueAt, tries, fencingToken }: LeasedTask): Task {
  return {
    id,
    accountId,
    group,
    ...(isBackground && { isBackground }),
    ...(key !== undefined && { key }),
    priority,
    notBefore: dueAt,
    ...(audioSeconds !== undefined && { audioSeconds }),
    payload: JSON.parse(payload) as unknown,
    ...(traceparent !== undefined && { traceparent }),
    enqueuedAt,
    attempt: tries.attempt,
    fencingToken,
  };
}
