import type { DeadTask } from '../task-queue.js';
import { toDead } from '../store/dead-task.js';
import { parseLane } from '../store/lane.js';
import type { LeasedTask, StoredTask } from '../store/task-store.js';

export interface TaskRow {
  queue: string;
  id: string;
  lane: string;
  task_key: string | null;
  priority: number;
  enqueued_at: number;
  due_at: number;
  audio_seconds: number | null;
  payload: string;
  traceparent: string | null;
  attempt: number;
  outages: number;
  waited_ms: number;
  fencing_token: number;
  take_overs: number;
  is_taken_over: number;
  reason: string | null;
  failed_at: number | null;
}

const toStored = (row: TaskRow): StoredTask => ({
  ...parseLane(row.lane),
  queue: row.queue,
  id: row.id,
  key: row.task_key ?? undefined,
  priority: row.priority,
  audioSeconds: row.audio_seconds ?? undefined,
  payload: row.payload,
  traceparent: row.traceparent ?? undefined,
  enqueuedAt: new Date(row.enqueued_at),
  dueAt: new Date(row.due_at),
});

export const toLeased = (row: TaskRow): LeasedTask => ({
  ...toStored(row),
  fencingToken: row.fencing_token,
  tries: { attempt: row.attempt, outages: row.outages, waitedMs: row.waited_ms },
  takeOvers: row.take_overs,
  isTakenOver: row.is_taken_over !== 0,
});

export const toDeadRow = (row: TaskRow): DeadTask => toDead(toStored(row), { reason: row.reason ?? '', attempts: row.attempt, failedAt: new Date(row.failed_at ?? 0) });
