import { toDead } from '../store/dead-task.js';
import { laneName, parseLane } from '../store/lane.js';
import { dueAtOf, type LeasedTask, type StoredTask } from '../store/task-store.js';
import type { DeadTask } from '../task-queue.js';

export interface TaskDocument {
  /** Queue and id. */
  _id: string;
  queue: string;
  id: string;
  lane: string;
  group: string;
  /** Queue and key. */
  key?: string;
  /** The key again, while the task holds it: at most one task of a key has this. */
  head?: string;
  priority: number;
  /** The order of adding. */
  position: number;
  /** waiting: can run now; delayed: not before dueAt; blocked: behind another task of its key */
  state: 'waiting' | 'delayed' | 'blocked' | 'running' | 'dead';
  enqueuedAt: Date;
  dueAt: Date;
  /** When a running task that was woken is due again. */
  wakeAt?: Date;
  audioSeconds?: number;
  payload: string;
  traceparent?: string;
  attempt: number;
  outages: number;
  waitedMs: number;
  token: number;
  /** Stays until the worker hands the lease back: the next claim counts the lease as taken over. */
  worker?: string;
  takeOvers?: number;
  isTakenOver?: boolean;
  /** By the server's clock, which alone is the same for all. */
  renewedAt?: Date;
  reason?: string;
  failedAt?: Date;
}

/** The capacity that a process announces, by queue. */
export interface WorkerDocument {
  _id: string;
  capacities: { queue: string; capacity: number }[];
  seenAt: Date;
}

/** Queues have no spaces in their names. */
export const nameIn = (queue: string, idOrKey: string): string => `${queue} ${idOrKey}`;

export function toDocument(task: StoredTask, position: number, now: Date): TaskDocument {
  const { queue, id, group, key, priority, enqueuedAt, audioSeconds, payload, traceparent } = task;
  const dueAt = dueAtOf(task, now);
  const state = dueAt > now ? 'delayed' : 'waiting';
  return {
    _id: nameIn(queue, id),
    queue,
    id,
    lane: laneName(task),
    group,
    ...(key !== undefined && { key: nameIn(queue, key) }),
    priority,
    position,
    state: key === undefined ? state : 'blocked',
    enqueuedAt,
    dueAt,
    ...(audioSeconds !== undefined && { audioSeconds }),
    payload,
    ...(traceparent !== undefined && { traceparent }),
    attempt: 1,
    outages: 0,
    waitedMs: 0,
    // A task that is removed and added again gets larger tokens than before.
    token: position,
  };
}

const toStored = ({ queue, id, lane, key, priority, audioSeconds, payload, traceparent, enqueuedAt, dueAt }: TaskDocument): StoredTask => ({
  ...parseLane(lane),
  queue,
  id,
  key: key?.slice(queue.length + 1),
  priority,
  audioSeconds,
  payload,
  traceparent,
  enqueuedAt,
  dueAt,
});

export const toLeased = (document: TaskDocument): LeasedTask => ({
  ...toStored(document),
  fencingToken: document.token,
  tries: { attempt: document.attempt, outages: document.outages, waitedMs: document.waitedMs },
  takeOvers: document.takeOvers ?? 0,
  isTakenOver: document.isTakenOver ?? false,
});

export const toDeadTask = (document: TaskDocument): DeadTask =>
  toDead(toStored(document), { reason: document.reason ?? '', attempts: document.attempt, failedAt: document.failedAt ?? new Date(0) });
