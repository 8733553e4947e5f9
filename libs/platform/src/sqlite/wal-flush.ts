import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { AppError } from '../errors/app-error.js';

/** Brings what was written to an open file to the disk. */
export type FileSync = (file: number) => Promise<void>;

/** The maximum delay of a flush that no caller waits for. */
const SOON_MS = 100;

/**
 * Flushes the commits in a SQLite file's write-ahead log to the disk, by fdatasync on libuv's pool, so that the event loop
 * continues meanwhile. One flush runs at a time, and all commits made while it runs share the next one.
 */
export class WalFlush {
  private readonly file: number;
  private running: Promise<void> | undefined;
  private next: Promise<void> | undefined;
  private failure: AppError | undefined;
  private closing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** @param path of the SQLite file, which is open in WAL mode: SQLite keeps the log until its last connection closes */
  constructor(
    path: string,
    private readonly sync: FileSync = promisify(fdatasync),
  ) {
    this.file = openSync(`${path}-wal`, 'r+');
  }

  /** Resolves once every commit made before this call is on the disk. Calls at the same time share a flush. @throws AppError storage_failed */
  flush(): Promise<void> {
    this.next ??= (this.running ?? Promise.resolve()).then(() => this.begin(), () => this.begin());
    return this.next;
  }

  /** Begins a flush within 100 ms, unless another begins before. */
  flushSoon(): void {
    this.timer ??= setTimeout(() => void this.flush().catch(() => undefined), SOON_MS);
  }

  /** Resolves once every commit that can be read now is on the disk; undefined when that is so already. */
  get pending(): Promise<void> | undefined {
    if (this.failure) return Promise.reject(this.failure);
    return this.next ?? this.running;
  }

  /** @throws AppError storage_failed once a flush has failed */
  check(): void {
    if (this.failure) throw this.failure;
  }

  /** Waits for all requested flushes. @throws AppError storage_failed when one has failed since the start */
  close(): Promise<void> {
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  private async closeOnce(): Promise<void> {
    const last = this.timer ? this.flush() : (this.next ?? this.running);
    await last?.catch(() => undefined);
    closeSync(this.file);
    this.check();
  }

  private begin(): Promise<void> {
    this.next = undefined;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.running = this.flushOnce().finally(() => {
      if (this.next === undefined) this.running = undefined;
    });
    return this.running;
  }

  /** After a failure the kernel may have dropped what it could not write, and report success the next time: only a restart reads what is on the disk. */
  private async flushOnce(): Promise<void> {
    if (this.failure) throw this.failure;
    try {
      await this.sync(this.file);
    } catch (error) {
      this.failure = storageFailed(error);
      throw this.failure;
    }
  }
}

const storageFailed = (cause: unknown) =>
  new AppError({ kind: 'unavailable', code: 'storage_failed', message: 'The disk failed to store what was written to it; restart Parlance.', cause });
