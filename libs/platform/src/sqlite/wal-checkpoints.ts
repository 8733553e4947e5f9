import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** Bytes of a write-ahead log that is long enough to be brought into its file; SQLite shortens it to that afterwards. */
export const WAL_BYTES = 4 * 1024 * 1024;

const WORKER = new URL('./checkpoint-worker.mjs', import.meta.url);

/**
 * Has the write-ahead log of one file brought into it by a thread of its own (https://www.sqlite.org/wal.html#ckpt).
 * A commit that does it itself waits for the disk, with the whole event loop, for tens of milliseconds.
 */
export class WalCheckpoints {
  private running = false;
  /** The log's size when this was last asked for. */
  private sizeBefore = 0;

  constructor(private readonly path: string) {}

  afterCommit(): void {
    if (this.running) return;
    const size = logSize(this.path);
    // It was begun anew, which happens when a checkpoint has caught up with the writes.
    if (size < this.sizeBefore) this.sizeBefore = 0;
    if (size - this.sizeBefore <= WAL_BYTES) return;
    this.sizeBefore = size;
    this.running = true;
    checkpointThread().ask(this.path, () => (this.running = false));
  }
}

const logSize = (path: string): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;

/** Runs one checkpoint after the other; does not keep the process alive. */
class CheckpointThread {
  private readonly worker = new Worker(WORKER);
  private readonly asked = new Map<string, () => void>();

  constructor(onEnd: () => void) {
    this.worker.on('message', (path: string) => this.answer(path));
    this.worker.on('error', () => {});
    this.worker.on('exit', () => {
      onEnd();
      for (const path of Array.from(this.asked.keys())) this.answer(path);
    });
    // After the listeners, which would hold the process again.
    this.worker.unref();
  }

  ask(path: string, done: () => void): void {
    this.asked.set(path, done);
    this.worker.postMessage(path);
  }

  private answer(path: string): void {
    this.asked.get(path)?.();
    this.asked.delete(path);
  }
}

let thread: CheckpointThread | undefined;

/** One for the process, from when it is first needed. */
const checkpointThread = (): CheckpointThread => (thread ??= new CheckpointThread(() => (thread = undefined)));
