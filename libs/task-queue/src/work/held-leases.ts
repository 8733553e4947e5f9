import { AppError, pause, withTimeout, type Logger } from '@parlance/platform';
import type { Lease, TaskStore } from '../store/task-store.js';
import type { LeaseTimes } from './queue-options.js';

/** A lease of this process, and the signal of the work on it. */
export interface HeldLease extends Lease {
  group: string;
  signal: AbortSignal;
  /** True when the task was removed or another worker has it: nothing more is to be stored about it. */
  isLost: boolean;
  abort(reason: unknown): void;
}

interface HeldLeasesOptions {
  store: TaskStore;
  /** Id of this process among the workers. */
  worker: string;
  times: LeaseTimes;
  log: Logger;
  /** Called with the number of tasks that became available. */
  onTakenOver: (queue: string, count: number) => void;
}

/** Heartbeats after which the store is due for maintenance again: half a minute. */
const MAINTAIN_EVERY = 10;

/**
 * The leases of this process, prolonged by one heartbeat for all of them. A heartbeat that fails aborts no work: while the store
 * is away no other worker can get the tasks, and after that the fencing token decides.
 */
export class HeldLeases {
  private readonly held = new Map<string, HeldLease>();
  private readonly capacities = new Map<string, number>();
  private readonly closing = new AbortController();
  private beating: Promise<void> | undefined;
  private isInUpkeep = false;
  /** Stays until the next upkeep: one may be at work when this becomes true. */
  private isMaintenanceDue = false;
  /** Since when every heartbeat has succeeded. */
  private steadySince: number | undefined;

  constructor(private readonly options: HeldLeasesOptions) {}

  /** Announces a worker of the queue, and starts the heartbeats with the first. */
  announce(queue: string, capacity: number): void {
    this.capacities.set(queue, capacity);
    this.beating ??= this.keepBeating();
  }

  withdraw(queue: string): void {
    this.capacities.delete(queue);
  }

  hold({ queue, id, fencingToken, group }: Lease & { group: string }): HeldLease {
    const controller = new AbortController();
    const lease: HeldLease = { queue, id, fencingToken, group, signal: controller.signal, isLost: false, abort: (reason) => controller.abort(reason) };
    this.held.set(nameOf(lease), lease);
    return lease;
  }

  release(lease: HeldLease): void {
    this.held.delete(nameOf(lease));
  }

  /** Stops the work on tasks of the group, which are removed. */
  dropGroup(queue: string, group: string): void {
    for (const lease of this.held.values()) if (lease.queue === queue && lease.group === group) this.lose(lease, taskRemoved());
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.beating;
    const { store, worker, log } = this.options;
    if (this.beating) await store.leave(worker).catch((error: unknown) => log.debug({ err: error }, 'the capacity of this worker counts until it expires'));
  }

  private async keepBeating(): Promise<void> {
    const { heartbeatMs } = this.options.times;
    for (let beats = 1; !this.closing.signal.aborted; beats += 1) {
      const isWell = await this.beat();
      if (beats % MAINTAIN_EVERY === 0) this.isMaintenanceDue = true;
      if (isWell) this.startUpkeep();
      // After an outage the leases are to be prolonged before other workers take them over.
      await pause(isWell ? heartbeatMs : heartbeatMs / 3, this.closing.signal);
    }
  }

  /** @returns whether the store answered */
  private async beat(): Promise<boolean> {
    const { store, worker, log, times } = this.options;
    const leases = [...this.held.values()];
    try {
      const lost = await within(2 * times.heartbeatMs, store.heartbeat(worker, this.capacities, leases));
      for (const lease of lost) {
        const held = this.held.get(nameOf(lease));
        if (held) this.lose(held, leaseLost());
      }
      this.steadySince ??= performance.now();
      return true;
    } catch (error) {
      if (this.steadySince !== undefined) log.warn({ err: error, leases: leases.length }, 'heartbeat failed; work on leased tasks continues');
      this.steadySince = undefined;
      return false;
    }
  }

  /** Beside the heartbeats: a store that is slow to answer it must not end the leases of this process. One at a time, also when it is late. */
  private startUpkeep(): void {
    if (this.isInUpkeep) return;
    this.isInUpkeep = true;
    const { times, log } = this.options;
    const upkeep = this.upkeep().finally(() => (this.isInUpkeep = false));
    void within(times.leaseMs, upkeep).catch((error: unknown) => {
      if (!this.closing.signal.aborted) log.warn({ err: error }, 'upkeep of the task queue failed');
    });
  }

  private async upkeep(): Promise<void> {
    await this.takeOver();
    if (!this.isMaintenanceDue) return;
    this.isMaintenanceDue = false;
    await this.options.store.maintain();
  }

  /** Only after some time of contact: when the store comes back, workers that live prolong their leases first. */
  private async takeOver(): Promise<void> {
    const { store, times, log, onTakenOver } = this.options;
    if (performance.now() - (this.steadySince ?? Infinity) < 1.5 * times.heartbeatMs) return;
    for (const queue of this.capacities.keys()) {
      const count = await store.takeOver(queue);
      if (count === 0) continue;
      log.warn({ queue, count }, 'took over tasks of a worker without heartbeat');
      onTakenOver(queue, count);
    }
  }

  private lose(lease: HeldLease, reason: AppError): void {
    lease.isLost = true;
    lease.abort(reason);
  }
}

/** The token belongs to the name: a task that was put back and leased again is another lease. */
const nameOf = ({ queue, id, fencingToken }: Lease): string => `${queue} ${id} ${fencingToken}`;

const within = <T>(milliseconds: number, work: Promise<T>): Promise<T> =>
  withTimeout(milliseconds, work, () => {
    throw new AppError({ kind: 'timeout', code: 'task_queue_timeout', message: `The task queue did not answer within ${milliseconds} ms.` });
  });

const leaseLost = () => new AppError({ kind: 'canceled', code: 'lease_lost', message: 'Another worker has the task.' });
const taskRemoved = () => new AppError({ kind: 'canceled', code: 'task_removed', message: 'The task was removed.' });
