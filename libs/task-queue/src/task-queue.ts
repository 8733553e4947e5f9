import type { RetryPolicy } from '@parlance/platform';
import type { IndexOptions, IndexReport } from '@parlance/storage';

export interface NewTask<P = unknown> {
  /** Unique in its queue: adding a task whose id is there (waiting, running or dead) does nothing. For instance `job_1/2/17`. */
  id: string;
  accountId: string;
  /** Tasks of an account that belong together, such as those of a job: groups of one account take turns, and a group is removed as a whole. Default: the account. */
  group?: string;
  /** Tasks of one key run one after another, in the order in which they were added. */
  key?: string;
  /** Higher first, within its group. Default 0. */
  priority?: number;
  /** True for a task that runs after the normal ones of its account, but for a sixteenth of these. All tasks of a group are of one kind. */
  isBackground?: boolean | undefined;
  /** The task does not run before this time. */
  notBefore?: Date;
  /** Seconds of audio that the task is about, for metrics. */
  audioSeconds?: number;
  /** JSON. Ids and keys of what the task is about, never the content itself. */
  payload: P;
  /** W3C trace context that the task's spans belong to. Default: of the span that adds it. */
  traceparent?: string;
}

export interface Task<P = unknown> extends NewTask<P> {
  group: string;
  /** 1 on the first try. */
  attempt: number;
  enqueuedAt: Date;
  /** Grows with each lease of the task: a worker whose lease was taken over can neither complete nor fail it. */
  fencingToken: number;
}

export interface TaskContext {
  /** Aborts when the task is removed, another worker has its lease, its deadline is over, or the worker's time to close is over. */
  signal: AbortSignal;
  /** Aborts when the worker closes, some time before `signal`. What only waits may throw its reason: the task is put back, uncounted. */
  draining: AbortSignal;
  maxAttempts: number;
}

/** Limits how many tasks of one name run at once in this process, so that those of one name never take all places. */
export interface TaskLimit {
  /** The name whose tasks share the limit, for instance the account. */
  nameOf(task: { accountId: string; group: string }): string;
  /** Part of the places, and of those of slow tasks, that one name gets. */
  part: number;
  /** Places that one name gets even when its part is less. */
  min: number;
}

export interface Again {
  again: Date;
  hasProgressed?: boolean;
}

export interface TaskWorker<P = unknown> {
  queue: string;
  /** Tasks at once in this process; announced to the store, so that metrics show the capacity of all workers. */
  capacity: number;
  /** For tasks that may wait for someone else's server: one that runs for longer than `afterMs` leaves its place to another task, until `capacity` run in all. */
  slow?: { afterMs: number; capacity: number };
  /** Default: one account that is alone gets every place. */
  limits?: readonly TaskLimit[];
  /** Milliseconds that a task may run, from when it starts (never from when it was added). */
  deadlineMs: number;
  /** Take-overs in succession, from workers that died, after which a task fails for good. Default: as the queue is set. Infinity: the work cannot be why they died. */
  maxTakeOvers?: number;
  /** Tries that fail in an outage or for busy scratch room (`isWaitedFor`) do not count. */
  retry: RetryPolicy;
  /**
   * Does the task. Returning `again` puts it back until that time, without counting it as a failure. With `hasProgressed`, the failures
   * before are forgotten: the faults of long work do not add up.
   */
  perform(task: Task<P>, context: TaskContext): Promise<Again | void>;
  /** True for an error after which no further try can succeed: the task is given up at once. Default: every failure is tried again. */
  isFinal?(error: unknown): boolean;
  /**
   * Called after the last failed try, only while this worker has the lease. When it returns `settled` the task is removed; otherwise it becomes a dead task.
   * Called again while it throws what is retryable.
   */
  giveUp?(task: Task<P>, error: unknown): Promise<'settled' | void>;
}

export interface Working {
  /** Takes no more tasks, lets what runs end, then aborts it and hands its leases back. */
  close(): Promise<void>;
}

export interface Backlog {
  /** Tasks that could run now, and those behind one of their key. */
  waiting: number;
  /** Tasks that wait for their time: before `notBefore`, or between two tries. */
  delayed: number;
  running: number;
  dead: number;
  /** Since when the oldest waiting task could have run; 0 when none waits. */
  oldestAgeSeconds: number;
  /** Audio of the waiting tasks. */
  waitingAudioSeconds: number;
  /** Tasks that all workers together run at once. */
  capacity: number;
}

/** A task that failed its last try. It keeps its id and blocks no other task. Kept for 30 days. */
export interface DeadTask {
  queue: string;
  task: NewTask & { group: string };
  /** Code and message of the last try's error. */
  reason: string;
  attempts: number;
  failedAt: Date;
}

export interface DeadTasks {
  /** Newest first. */
  list(options?: { queue?: string; limit?: number }): Promise<DeadTask[]>;
  get(queue: string, id: string): Promise<DeadTask | undefined>;
  /** Puts the task back into its queue, with all its tries before it. @throws AppError not_found */
  replay(queue: string, id: string): Promise<void>;
  /** @throws AppError not_found */
  drop(queue: string, id: string): Promise<void>;
}

/**
 * Durable work that one worker at a time has a lease on: at least once, in fair shares by account. While an account is alone it
 * gets every place; with a second one each gets half, as soon as places become free. Events for everybody belong on the event bus.
 */
export interface TaskQueue {
  /** Resolves once the tasks are durable. Idempotent by id. @returns how many were new */
  add<P>(queue: string, tasks: readonly NewTask<P>[]): Promise<number>;
  /**
   * Adds the tasks that are not there, and makes the others due at `notBefore` (default: now) unless they are due before. A task
   * that runs is due again at that time once it ends, so that nothing that was stored before this call is overlooked. A dead task stays dead.
   */
  wake<P>(queue: string, tasks: readonly NewTask<P>[]): Promise<void>;
  /** Leases tasks and runs them until closed. One worker a queue in each process. */
  work<P>(worker: TaskWorker<P>): Promise<Working>;
  /** Removes all tasks of the group, and stops those that run: in this process at once, elsewhere at the next heartbeat (3 s). @returns how many there were */
  removeGroup(queue: string, group: string): Promise<number>;
  backlog(queue: string): Promise<Backlog>;
  readonly deadTasks: DeadTasks;
  /** Creates the indexes that are missing, as `DocumentDatabase.ensureIndexes`; the first call of a process does so too. An embedded queue has them from the start. */
  ensureIndexes(options?: IndexOptions): Promise<IndexReport>;
  /** Throws when the queue cannot be used now; for readiness. */
  check(): Promise<void>;
  close(): Promise<void>;
}
