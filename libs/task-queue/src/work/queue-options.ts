import type { Clock, Logger } from '@parlance/platform';

/** The end of one try of a task. */
export type TaskOutcome = 'completed' | 'put back' | 'retried' | 'dead' | 'interrupted' | 'lease lost';

/** Receives what happens to tasks, for metrics. */
export interface TaskObserver {
  ended?(queue: string, outcome: TaskOutcome): void;
  /** Tasks of workers that sent no heartbeat any more have become available. */
  takenOver?(queue: string, count: number): void;
}

export interface LeaseTimes {
  /** Milliseconds that a lease lasts without a heartbeat. Default 10 s. */
  leaseMs: number;
  /** Milliseconds between two heartbeats. Default 3 s. */
  heartbeatMs: number;
  /** Milliseconds between two looks of an idle worker. Default 1 s, with jitter. */
  pollMs: number;
  /** Milliseconds after which a look is too old to choose the next task by. Default 250 ms. */
  lookAgeMs: number;
  /** Milliseconds that a task waits once it was taken over twice; double with each further time, up to a minute, with jitter. Default 5 s. */
  takeOverDelayMs: number;
}

export const DEFAULT_LEASE_TIMES: LeaseTimes = { leaseMs: 10_000, heartbeatMs: 3000, pollMs: 1000, lookAgeMs: 250, takeOverDelayMs: 5000 };

export const DEFAULT_MAX_TAKE_OVERS = 8;

export interface TaskQueueOptions {
  clock: Clock;
  log: Logger;
  /** Milliseconds that running tasks have to end by themselves when a worker closes. Default 0. */
  drainMs?: number | undefined;
  /** Milliseconds that a task has to end once its signal was aborted. Default 5 s. */
  graceMs?: number | undefined;
  /** A task that was taken over more often fails for good: its workers die of it. Default 8. */
  maxTakeOvers?: number | undefined;
  observer?: TaskObserver | undefined;
  times?: LeaseTimes | undefined;
  random?: (() => number) | undefined;
}
