import { laneName, type Lane } from '../store/lane.js';
import type { QueueLook } from '../store/task-store.js';
import { fairestLane } from './fair-choice.js';

/** Accounts and lanes whose last service is remembered; an older one counts as never served. */
const MAX_SERVED = 10_000;

/** Services of an account's normal lanes after which one of its background lanes is served, though normal tasks wait. */
const BACKGROUND_EVERY = 16;

/** A lane with tasks that can run, as far as the worker knows. */
interface WaitingLane extends Lane {
  /** Claims without an answer yet. */
  claims: number;
  /** Successful claims since the lane was last empty. */
  successes: number;
  /** True when a task was added after the last claim was sent: an empty answer to it says nothing about that task. */
  isRenewed: boolean;
}

/** A worker's picture of its queue: the last look at the store, corrected by what the worker has done since. */
export class QueueView {
  private waiting = new Map<string, WaitingLane>();
  private readonly running = new Map<string, number>();
  private readonly runningOfAccount = new Map<string, number>();
  private readonly served = new Map<string, number>();
  /** Services of normal lanes since the last one of a background lane that waited beside them, by account. */
  private readonly passedOver = new Map<string, number>();
  private services = 0;

  refresh({ waiting, running }: Pick<QueueLook, 'waiting' | 'running'>): void {
    const before = this.waiting;
    this.waiting = new Map(waiting.map((lane) => [laneName(lane), before.get(laneName(lane)) ?? newLane(lane)]));
    this.running.clear();
    this.runningOfAccount.clear();
    for (const { count, ...lane } of running) this.count(lane, count);
    const withBackground = new Set(waiting.flatMap(({ accountId, isBackground }) => (isBackground ? [accountId] : [])));
    for (const accountId of this.passedOver.keys()) if (!withBackground.has(accountId)) this.passedOver.delete(accountId);
  }

  /**
   * Takes a place for one task of the fairest lane. The caller claims the task, and calls `claimed` or `emptied`. A look does not
   * count the tasks of a lane, so claims start with one and double as they succeed: a single task costs two claims, not one for each free place.
   * @returns undefined also when the fairest lane has as many claims as that allows: a less fair lane must not get its places before they are answered
   */
  take(isFreeFor: (lane: Lane) => boolean): Lane | undefined {
    const lane = fairestLane<WaitingLane>({
      waiting: this.waiting.values(),
      isFreeFor,
      runningOf: (each) => this.running.get(laneName(each)) ?? 0,
      runningOfAccount: (accountId) => this.runningOfAccount.get(accountId) ?? 0,
      isBackgroundDue: (accountId) => (this.passedOver.get(accountId) ?? 0) >= BACKGROUND_EVERY,
      servedAt: (accountOrLane) => this.served.get(accountOrLane) ?? 0,
    });
    if (!lane || lane.claims >= Math.max(1, lane.successes)) return undefined;
    lane.claims += 1;
    lane.isRenewed = false;
    this.count(lane, 1);
    this.serve(lane.accountId);
    this.serve(laneName(lane));
    this.passOver(lane);
    return { accountId: lane.accountId, group: lane.group, ...(lane.isBackground && { isBackground: true }) };
  }

  added(lane: Lane): void {
    const known = this.waiting.get(laneName(lane));
    if (known) known.isRenewed = true;
    else this.waiting.set(laneName(lane), newLane(lane));
  }

  /** The store had a task in the lane, and there may be more. */
  claimed(lane: Lane): void {
    const known = this.waiting.get(laneName(lane)) ?? newLane(lane);
    known.claims = Math.max(0, known.claims - 1);
    known.successes += 1;
    this.waiting.set(laneName(lane), known);
  }

  /** The store had no task in the lane. */
  emptied(lane: Lane): void {
    const known = this.waiting.get(laneName(lane));
    if (known?.isRenewed) Object.assign(known, { claims: Math.max(0, known.claims - 1), successes: 0 });
    else this.waiting.delete(laneName(lane));
    this.ended(lane);
  }

  /** A task of the lane has left its place. */
  ended(lane: Lane): void {
    this.count(lane, -1);
  }

  private passOver({ accountId, isBackground }: Lane): void {
    if (isBackground) this.passedOver.delete(accountId);
    else this.passedOver.set(accountId, (this.passedOver.get(accountId) ?? 0) + 1);
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

const newLane = ({ accountId, group, isBackground }: Lane): WaitingLane => ({ accountId, group, ...(isBackground && { isBackground }), claims: 0, successes: 0, isRenewed: false });

function add(counts: Map<string, number>, name: string, change: number): void {
  const count = (counts.get(name) ?? 0) + change;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}
