import { laneName, type Lane } from '../store/lane.js';
import type { QueueLook } from '../store/task-store.js';
import { fairestLane } from './fair-choice.js';

/** Accounts and lanes whose last service is remembered; an older one counts as never served. */
const MAX_SERVED = 10_000;

/** A worker's picture of its queue: the last look at the store, corrected by what the worker has done since. */
export class QueueView {
  private readonly waiting = new Map<string, Lane>();
  private readonly running = new Map<string, number>();
  private readonly runningOfAccount = new Map<string, number>();
  private readonly served = new Map<string, number>();
  private services = 0;

  refresh({ waiting, running }: Pick<QueueLook, 'waiting' | 'running'>): void {
    this.waiting.clear();
    this.running.clear();
    this.runningOfAccount.clear();
    for (const lane of waiting) this.added(lane);
    for (const { count, ...lane } of running) this.count(lane, count);
  }

  /** Takes the place of one task of the lane whose turn it is. The caller claims the task, and calls `emptied` when there is none. */
  take(isFreeFor: (lane: Lane) => boolean): Lane | undefined {
    const lane = fairestLane({
      waiting: this.waiting.values(),
      isFreeFor,
      runningOf: (each) => this.running.get(laneName(each)) ?? 0,
      runningOfAccount: (accountId) => this.runningOfAccount.get(accountId) ?? 0,
      servedAt: (accountOrLane) => this.served.get(accountOrLane) ?? 0,
    });
    if (!lane) return undefined;
    this.count(lane, 1);
    this.serve(lane.accountId);
    this.serve(laneName(lane));
    return lane;
  }

  added(lane: Lane): void {
    this.waiting.set(laneName(lane), { accountId: lane.accountId, group: lane.group });
  }

  /** There was no task to claim in the lane. */
  emptied(lane: Lane): void {
    this.waiting.delete(laneName(lane));
    this.ended(lane);
  }

  /** A task of the lane has left its place. */
  ended(lane: Lane): void {
    this.count(lane, -1);
  }

  private serve(accountOrLane: string): void {
    this.served.delete(accountOrLane);
    this.served.set(accountOrLane, (this.services += 1));
    if (this.served.size > MAX_SERVED) for (const oldest of this.served.keys()) return void this.served.delete(oldest);
  }

  private count(lane: Lane, change: number): void {
    add(this.running, laneName(lane), change);
    add(this.runningOfAccount, lane.accountId, change);
  }
}

function add(counts: Map<string, number>, name: string, change: number): void {
  const count = (counts.get(name) ?? 0) + change;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}
