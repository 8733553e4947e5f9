import { AppError, AsyncSignal, retryDelay, withTimeout, type Backoff } from '@parlance/platform';
import type { Lane } from '../store/lane.js';
import type { LeasedTask, TaskStore } from '../store/task-store.js';
import type { TaskWorker, Working } from '../task-queue.js';
import type { HeldLease, HeldLeases } from './held-leases.js';
import { LeasedTaskRun, type RunEnd, type RunParts } from './leased-task-run.js';
import { WorkerPlaces } from './places.js';
import type { LeaseTimes, TaskQueueOptions } from './queue-options.js';
import { QueueView } from './queue-view.js';

/** Claims that are asked of the store at once. */
const MAX_CLAIMS = 16;

const STORE_RETRY: Backoff = { initialDelayMs: 200, maxDelayMs: 5000 };

interface QueueWorkerParts {
  store: TaskStore;
  leases: HeldLeases;
  worker: TaskWorker;
  /** Id of this process among the workers. */
  processId: string;
  times: LeaseTimes;
  options: TaskQueueOptions;
}

/** Takes tasks of one queue, as many at once as its capacity, until it is closed. */
export class QueueWorker implements Working {
  private readonly view = new QueueView();
  private readonly wakeUp = new AsyncSignal();
  private readonly places: WorkerPlaces;
  private readonly running = new Map<HeldLease, Promise<void>>();
  private readonly runningIds = new Set<string>();
  private readonly draining = new AbortController();
  private readonly abandoned = new AbortController();
  private readonly runParts: RunParts;
  private readonly loop: Promise<void>;
  private lookedAt = -Infinity;
  private nextDueAt: number | undefined;
  private storeFailures = 0;
  private closing: Promise<void> | undefined;

  constructor(private readonly parts: QueueWorkerParts) {
    const { store, worker, options } = parts;
    this.runParts = { store, worker, options, draining: this.draining.signal, abandoned: this.abandoned.signal };
    this.places = new WorkerPlaces(worker, () => this.wakeUp.notify());
    parts.leases.announce(worker.queue, worker.capacity);
    this.loop = this.work();
  }

  /** Tasks were added to these lanes by this process. */
  added(lanes: Iterable<Lane>): void {
    for (const lane of lanes) this.view.added(lane);
    this.wakeUp.notify();
  }

  /** This process added the tasks, or made them due. One that runs here is looked at when it ends. */
  woken(tasks: Iterable<Lane & { id: string }>): void {
    for (const task of tasks) if (!this.runningIds.has(task.id)) this.view.added(task);
    this.wakeUp.notify();
  }

  /** Tasks may have become available, unknown in which lanes. */
  lookAgain(): void {
    this.lookedAt = -Infinity;
    this.wakeUp.notify();
  }

  close(): Promise<void> {
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  private async work(): Promise<void> {
    while (!this.draining.signal.aborted) {
      try {
        const waitMs = await this.fillPlaces();
        this.storeFailures = 0;
        if (waitMs > 0 && !(await this.wakeUp.wait(waitMs))) this.lookedAt = -Infinity;
      } catch (error) {
        this.storeFailures += 1;
        this.parts.options.log.warn({ err: error, queue: this.parts.worker.queue }, 'no tasks could be taken; trying again');
        await this.wakeUp.wait(retryDelay(this.storeFailures, STORE_RETRY, Math.random()));
      }
    }
  }

  /** @returns milliseconds until there may be something to do, unless woken before */
  private async fillPlaces(): Promise<number> {
    if (this.places.free <= 0) return this.parts.times.pollMs;
    await this.look();
    const taken = this.takePlaces(Math.min(this.places.free, MAX_CLAIMS));
    if (taken.length === 0) return this.idleMs();
    const claims = await Promise.allSettled(taken.map(([lane, leave]) => this.claim(lane, leave)));
    const failed = claims.find((claim) => claim.status === 'rejected');
    if (failed) throw failed.reason;
    return 0;
  }

  private async look(): Promise<void> {
    const { store, worker, times } = this.parts;
    const isDue = this.nextDueAt !== undefined && this.nextDueAt <= this.now();
    if (performance.now() - this.lookedAt < times.lookAgeMs && !isDue) return;
    this.lookedAt = performance.now();
    const look = await store.look(worker.queue);
    this.view.refresh(look);
    this.nextDueAt = look.nextDueAt?.getTime();
  }

  /** @returns lanes whose turn it is, and what gives the place of each back */
  private takePlaces(count: number): [Lane, () => void][] {
    const taken: [Lane, () => void][] = [];
    while (taken.length < count) {
      const lane = this.view.take((each) => this.places.isFreeFor(each));
      if (!lane) break;
      taken.push([lane, this.places.take(lane)]);
    }
    return taken;
  }

  private async claim(lane: Lane, leave: () => void): Promise<void> {
    const { store, worker, processId } = this.parts;
    let task: LeasedTask | undefined;
    try {
      task = await store.claim(worker.queue, lane, processId);
    } finally {
      if (task) this.view.claimed(lane);
      else {
        this.view.emptied(lane);
        leave();
      }
    }
    if (task) this.begin(task, leave);
  }

  private begin(task: LeasedTask, leave: () => void): void {
    const { leases, options } = this.parts;
    const lease = leases.hold(task);
    // Claimed while the worker began to close.
    if (this.draining.signal.aborted) lease.abort(workerCloses());
    this.runningIds.add(task.id);
    const run = new LeasedTaskRun(task, lease, this.runParts)
      .run()
      .then(
        (end) => this.after(end, task),
        (error: unknown) => options.log.error({ err: error, queue: task.queue, task: task.id }, 'a task ended in a defect of the queue'),
      )
      .finally(() => {
        leases.release(lease);
        this.running.delete(lease);
        this.runningIds.delete(task.id);
        this.view.ended(task);
        leave();
        this.wakeUp.notify();
      });
    this.running.set(lease, run);
  }

  private after({ outcome, dueAt }: RunEnd, task: LeasedTask): void {
    if (dueAt) this.dueAgain(task, dueAt.getTime());
    // The next of its key may run now.
    if (task.key !== undefined) this.lookedAt = -Infinity;
    this.parts.options.observer?.ended?.(task.queue, outcome);
  }

  private dueAgain(task: LeasedTask, dueAt: number): void {
    if (dueAt <= this.now()) this.view.added(task);
    else this.nextDueAt = Math.min(this.nextDueAt ?? Infinity, dueAt);
  }

  /** With jitter, so that idle workers do not look at the store at the same moment. */
  private idleMs(): number {
    const pollMs = this.parts.times.pollMs * (0.75 + Math.random() / 2);
    return this.nextDueAt === undefined ? pollMs : Math.min(pollMs, Math.max(1, this.nextDueAt - this.now()));
  }

  private now(): number {
    return this.parts.options.clock.now().getTime();
  }

  private async closeOnce(): Promise<void> {
    const { options, leases, worker } = this.parts;
    const reason = workerCloses();
    this.draining.abort(reason);
    this.wakeUp.notify();
    await this.loop;
    await this.ended(options.drainMs ?? 0);
    for (const lease of this.running.keys()) lease.abort(reason);
    await this.ended(2 * (options.graceMs ?? 5000));
    this.abandoned.abort(reason);
    await Promise.all(this.running.values());
    leases.withdraw(worker.queue);
  }

  /** Resolves when nothing runs any more, or the time is over. */
  private async ended(milliseconds: number): Promise<void> {
    if (this.running.size === 0 || milliseconds === 0) return;
    await withTimeout(milliseconds, Promise.all(this.running.values()), () => {});
  }
}

const workerCloses = (): AppError => new AppError({ kind: 'canceled', code: 'worker_closed', message: 'The worker closes.' });
