import type { Tries } from '@parlance/platform';
import type { IndexOptions, IndexReport } from '@parlance/storage';
import type { Backlog, DeadTask } from '../task-queue.js';
import type { Lane } from './lane.js';

/** A task as it is stored; `payload` is JSON text. */
export interface StoredTask extends Lane {
  queue: string;
  id: string;
  key?: string | undefined;
  priority: number;
  audioSeconds?: number | undefined;
  payload: string;
  traceparent?: string | undefined;
  enqueuedAt: Date;
  /** The task does not run before this time. */
  dueAt: Date;
}

/** @returns when the task is due by the clock's present time; one that was due when it was added never waits, also when the clock has gone back since */
export const dueAtOf = ({ enqueuedAt, dueAt }: Pick<StoredTask, 'enqueuedAt' | 'dueAt'>, now: Date): Date => (dueAt > enqueuedAt || dueAt < now ? dueAt : now);

/** Names a lease: it holds as long as the stored task has the token. */
export interface Lease {
  queue: string;
  id: string;
  fencingToken: number;
}

/** The end of a lease: the task is due again at the time, or gone without one. */
export interface LeaseEnd {
  dueAt?: Date | undefined;
}

/** The count of take-overs starts again with 0 unless it is given. */
export interface LeaseTries extends Tries {
  takeOvers?: number;
}

export interface LeasedTask extends StoredTask, Lease {
  tries: Tries;
  /** Leases in succession that ended without a word from their worker. */
  takeOvers: number;
  /** True when the lease before this one was such a lease. */
  isTakenOver: boolean;
}

/** Lanes in one look at most. Of more, the next look sees those that follow. */
export const MAX_LANES = 1000;

/** The state of a queue by which a worker chooses its next task. */
export interface QueueLook {
  /** Lanes with a task that can run now, `MAX_LANES` at most. */
  waiting: Lane[];
  /** Running tasks of all workers. */
  running: (Lane & { count: number })[];
  /** When the next delayed task is due. */
  nextDueAt?: Date | undefined;
}

/**
 * Tasks and leases in a database: all that an adapter implements. Each call is one atomic step for each task that it touches;
 * none is atomic over several tasks. What a worker does with its leases is the same for all stores (`src/work`).
 */
export interface TaskStore {
  /** Stores those whose id is not there, durably. A task behind an unfinished one of its key does not run before that has ended. @returns how many were new */
  insert(tasks: readonly StoredTask[]): Promise<number>;
  /** As `insert`; those that are there become due at their `dueAt` unless they are due before, a running one once its lease ends. */
  wake(tasks: readonly StoredTask[]): Promise<void>;
  look(queue: string): Promise<QueueLook>;
  /** Leases the first task of the lane, by priority and then in the order of adding. @returns undefined when none can run */
  claim(queue: string, lane: Lane, worker: string): Promise<LeasedTask | undefined>;
  /** Prolongs the worker's leases, also expired ones that no other worker has got, and announces its capacity. @returns the leases that are lost */
  heartbeat(worker: string, capacities: ReadonlyMap<string, number>, leases: readonly Lease[]): Promise<Lease[]>;
  /** Prolongs one lease, also an expired one that no other worker has got. @returns false when the lease is lost */
  renew(lease: Lease): Promise<boolean>;
  /** Makes the tasks of expired leases available. @returns how many there were */
  takeOver(queue: string): Promise<number>;
  /** Removes the task; one that was woken meanwhile is due again, as on its first try. @returns undefined when the lease is lost */
  complete(lease: Lease): Promise<LeaseEnd | undefined>;
  /** Ends the lease; the task is due again at the time, or earlier when it was woken meanwhile. @returns undefined when the lease is lost */
  putBack(lease: Lease, tries: LeaseTries, dueAt: Date): Promise<LeaseEnd | undefined>;
  /** Makes the task a dead one. @returns false when the lease is lost */
  bury(lease: Lease, reason: string, failedAt: Date): Promise<boolean>;
  /** Removes all tasks of the group, in whatever state. @returns how many there were */
  removeGroup(queue: string, group: string): Promise<number>;
  backlog(queue: string): Promise<Backlog>;
  /** Newest first. */
  deadTasks(queue: string | undefined, limit: number): Promise<DeadTask[]>;
  deadTask(queue: string, id: string): Promise<DeadTask | undefined>;
  /** @returns whether there was such a dead task */
  replay(queue: string, id: string): Promise<boolean>;
  /** @returns whether there was such a dead task */
  drop(queue: string, id: string): Promise<boolean>;
  /** Removes what is kept no longer, and repairs what a process that died between two steps left behind. */
  maintain(): Promise<void>;
  /** The worker's capacity counts no longer. */
  leave(worker: string): Promise<void>;
  ensureIndexes(options: IndexOptions): Promise<IndexReport>;
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Dead tasks are kept for 30 days, as dead letters are. */
export const DEAD_TASK_RETENTION_MS = 30 * 24 * 60 * 60_000;
