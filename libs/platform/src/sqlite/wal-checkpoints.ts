import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { threadMemory } from '../threads/thread-memory.js';

/** Bytes of a write-ahead log that is long enough to be brought into its file; SQLite shortens it to that afterwards. */
export const WAL_BYTES = 4 * 1024 * 1024;

/** Milliseconds until the log is emptied. */
export interface EmptyingTimes {
  /** Without a commit: what a change overwrote is not to be found there for long. */
  quietMs: number;
  /** The time after which commits that never pause wait for the log to be emptied and restarted. */
  withinMs: number;
  /** After an erasure, and before another try. */
  soonMs: number;
}

const EMPTYING: EmptyingTimes = { quietMs: 5000, withinMs: 60_000, soonMs: 1000 };

/** A log does not grow by much in so many milliseconds. */
const POLL_INTERVAL_MS = 10;
/** Milliseconds that closing waits for a checkpoint. */
const MAX_CLOSING_MS = 1000;

/** Every file that this process has open. */
const open = new Set<WalCheckpoints>();
let emptyingAll: Promise<unknown> | undefined;

const WORKER = new URL('./checkpoint-worker.mjs', import.meta.url);

/**
 * Has the write-ahead log of one file brought into it by a thread of its own (https://www.sqlite.org/wal.html#ckpt).
 * A commit that does it itself waits for the disk, with the whole event loop, for tens of milliseconds.
 */
export class WalCheckpoints {
  private running = false;
  /** The log's size when a checkpoint was last requested. */
  private sizeBefore = 0;
  private emptying: { timer: NodeJS.Timeout; dueAt: number } | undefined;
  private lastCommit = 0;
  private lookedAt = -Infinity;
  private closed = false;
  /** Checkpoints that the thread does or has before it. */
  private asked = 0;
  private onIdle = () => {};

  constructor(
    private readonly path: string,
    private readonly times: EmptyingTimes = EMPTYING,
  ) {
    open.add(this);
  }

  afterCommit(): void {
    this.lastCommit = performance.now();
    this.emptyOnceQuiet(this.lastCommit);
    if (this.running || this.lastCommit - this.lookedAt < POLL_INTERVAL_MS) return;
    this.lookedAt = this.lastCommit;
    const size = logSize(this.path);
    // The log was restarted, which happens when a checkpoint has caught up with the writes.
    if (size < this.sizeBefore) this.sizeBefore = 0;
    if (size - this.sizeBefore <= WAL_BYTES) return;
    this.sizeBefore = size;
    this.ask(false, () => {});
  }

  /** The log still has what a commit erased: empties it within a second or two, and tries until that works. */
  emptySoon(): void {
    this.emptyWithin(this.times.soonMs);
  }

  /**
   * Empties the logs of all files that this process has open, for a disk that is full: what they hold is mostly newer versions of
   * pages that the files have already. Resolves once each was tried.
   */
  static async emptyAll(): Promise<void> {
    await (emptyingAll ??= Promise.all(Array.from(open, (each) => each.emptyNow())).finally(() => (emptyingAll = undefined)));
  }

  /** The last connection to the file empties the log when it closes; it is not to be that of a checkpoint, after which the file may be removed. */
  async close(): Promise<void> {
    this.closed = true;
    open.delete(this);
    clearTimeout(this.emptying?.timer);
    if (this.asked === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.onIdle = resolve;
    // The thread does not keep the process alive.
    const timer = setTimeout(resolve, MAX_CLOSING_MS);
    await promise;
    clearTimeout(timer);
  }

  /** @param since when there was first something to empty */
  private emptyOnceQuiet(since: number): void {
    const { quietMs, withinMs } = this.times;
    this.emptyWithin(quietMs, () => {
      const now = performance.now();
      const isQuiet = now - this.lastCommit >= quietMs || now - since >= withinMs;
      if (isQuiet) this.empty();
      else this.emptyOnceQuiet(since);
    });
  }

  private emptyWithin(milliseconds: number, then = () => this.empty()): void {
    const dueAt = performance.now() + milliseconds;
    if (this.closed || (this.emptying && this.emptying.dueAt <= dueAt)) return;
    clearTimeout(this.emptying?.timer);
    const fire = () => {
      this.emptying = undefined;
      then();
    };
    this.emptying = { dueAt, timer: setTimeout(fire, milliseconds).unref() };
  }

  private empty(): void {
    if (this.running) this.emptySoon();
    else this.ask(true, (done) => void (done || this.emptySoon()));
  }

  private emptyNow(): Promise<void> {
    return new Promise((tried) => (logSize(this.path) === 0 ? tried() : this.send(true, () => tried())));
  }

  private ask(empty: boolean, ended: (done: boolean) => void): void {
    this.running = true;
    this.send(empty, (done) => {
      this.running = false;
      ended(done);
    });
  }

  private send(empty: boolean, ended: (done: boolean) => void): void {
    this.asked += 1;
    checkpointThread().ask({ path: this.path, empty }, (done) => {
      this.asked -= 1;
      ended(done);
      if (this.asked === 0) this.onIdle();
    });
  }
}

/** Bytes of the write-ahead log. */
export const logSize = (path: string): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;

interface Answer {
  id: number;
  done: boolean;
}

/** Runs one checkpoint after the other; does not keep the process alive. */
class CheckpointThread {
  private readonly worker = new Worker(WORKER, { resourceLimits: threadMemory() });
  private readonly asked = new Map<number, (done: boolean) => void>();
  private lastId = 0;

  constructor(onEnd: () => void) {
    this.worker.on('message', (answer: Answer) => this.answer(answer));
    this.worker.on('error', () => {});
    this.worker.on('exit', () => {
      onEnd();
      for (const id of Array.from(this.asked.keys())) this.answer({ id, done: false });
    });
    // After the listeners, which would hold the process again.
    this.worker.unref();
  }

  ask(question: { path: string; empty: boolean }, ended: (done: boolean) => void): void {
    const id = ++this.lastId;
    this.asked.set(id, ended);
    this.worker.postMessage({ id, ...question });
  }

  private answer({ id, done }: Answer): void {
    const ended = this.asked.get(id);
    this.asked.delete(id);
    ended?.(done);
  }
}

let thread: CheckpointThread | undefined;

/** One for the process, from when it is first needed. */
const checkpointThread = (): CheckpointThread => (thread ??= new CheckpointThread(() => (thread = undefined)));
