import { randomUUID } from 'node:crypto';
import { AppError, currentTraceparent, notFound } from '@parlance/platform';
import type { IndexOptions, IndexReport } from '@parlance/storage';
import type { Lane } from '../store/lane.js';
import type { StoredTask, TaskStore } from '../store/task-store.js';
import type { Backlog, DeadTasks, NewTask, TaskQueue, TaskWorker, Working } from '../task-queue.js';
import { HeldLeases } from './held-leases.js';
import { DEFAULT_LEASE_TIMES, type LeaseTimes, type TaskQueueOptions } from './queue-options.js';
import { QueueWorker } from './queue-worker.js';

const DEFAULT_LIST_LIMIT = 100;

/** The task queue over any store. */
export class LeasedTaskQueue implements TaskQueue {
  readonly deadTasks: DeadTasks;
  private readonly processId = randomUUID();
  private readonly workers = new Map<string, QueueWorker>();
  private readonly leases: HeldLeases;
  private readonly times: LeaseTimes;
  private closing: Promise<void> | undefined;

  constructor(
    private readonly store: TaskStore,
    private readonly options: TaskQueueOptions,
  ) {
    this.times = options.times ?? DEFAULT_LEASE_TIMES;
    this.leases = new HeldLeases({
      store,
      worker: this.processId,
      times: this.times,
      log: options.log,
      onTakenOver: (queue, count) => {
        options.observer?.takenOver?.(queue, count);
        this.workers.get(queue)?.lookAgain();
      },
    });
    this.deadTasks = {
      list: ({ queue, limit = DEFAULT_LIST_LIMIT } = {}) => store.deadTasks(queue, limit),
      get: (queue, id) => store.deadTask(queue, id),
      replay: (queue, id) => this.replay(queue, id),
      drop: async (queue, id) => {
        if (!(await store.drop(queue, id))) throw notFound('The dead task');
      },
    };
  }

  async add<P>(queue: string, tasks: readonly NewTask<P>[]): Promise<number> {
    if (tasks.length === 0) return 0;
    const now = this.options.clock.now();
    const stored = tasks.map((task) => toStored(queue, task, now));
    const added = await this.store.insert(stored);
    const runnable = stored.filter(({ dueAt }) => dueAt <= now);
    if (runnable.length === stored.length) this.workers.get(queue)?.added(runnable satisfies Lane[]);
    else this.workers.get(queue)?.lookAgain();
    return added;
  }

  async wake<P>(queue: string, tasks: readonly NewTask<P>[]): Promise<void> {
    if (tasks.length === 0) return;
    const now = this.options.clock.now();
    const stored = tasks.map((task) => toStored(queue, task, now));
    await this.store.wake(stored);
    const worker = this.workers.get(queue);
    if (stored.every(({ dueAt }) => dueAt <= now)) worker?.woken(stored);
    else worker?.lookAgain();
  }

  async work<P>(worker: TaskWorker<P>): Promise<Working> {
    const { queue } = worker;
    if (this.closing) throw queueClosed();
    if (this.workers.has(queue)) throw new Error(`the queue ${queue} has a worker in this process`);
    const { store, leases, times, options, processId } = this;
    const working = new QueueWorker({ store, leases, times, processId, worker: worker as TaskWorker, options: { ...options, log: options.log.child({ queue }) } });
    this.workers.set(queue, working);
    return {
      close: async () => {
        await working.close();
        if (this.workers.get(queue) === working) this.workers.delete(queue);
      },
    };
  }

  async removeGroup(queue: string, group: string): Promise<number> {
    const count = await this.store.removeGroup(queue, group);
    this.leases.dropGroup(queue, group);
    // A task behind one of the removed may run now.
    if (count > 0) this.workers.get(queue)?.lookAgain();
    return count;
  }

  backlog(queue: string): Promise<Backlog> {
    return this.store.backlog(queue);
  }

  ensureIndexes(options: IndexOptions = {}): Promise<IndexReport> {
    return this.store.ensureIndexes(options);
  }

  check(): Promise<void> {
    return this.store.check();
  }

  close(): Promise<void> {
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  private async closeOnce(): Promise<void> {
    await Promise.all([...this.workers.values()].map((worker) => worker.close()));
    await this.leases.close();
    await this.store.close();
  }

  private async replay(queue: string, id: string): Promise<void> {
    if (!(await this.store.replay(queue, id))) throw notFound('The dead task');
    this.workers.get(queue)?.lookAgain();
  }
}

function toStored<P>(queue: string, task: NewTask<P>, now: Date): StoredTask {
  const { id, accountId, group = accountId, key, priority = 0, isBackground, notBefore = now, audioSeconds, payload, traceparent = currentTraceparent() } = task;
  if (accountId === '' || accountId.includes(' ')) throw new Error(`${accountId || 'an empty text'} is not the id of an account`);
  return { queue, id, accountId, group, ...(isBackground && { isBackground }), key, priority, audioSeconds, payload: JSON.stringify(payload ?? null), traceparent, enqueuedAt: now, dueAt: notBefore < now ? now : notBefore };
}

const queueClosed = () => new AppError({ kind: 'unavailable', code: 'task_queue_closed', message: 'The task queue is closed.' });
