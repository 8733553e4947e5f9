import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../errors/app-error.js';
import type { Durability } from './durability.js';
import { transactions } from './open-sqlite-database.js';
import { fromSqliteError } from './sqlite-errors.js';
import { WalCheckpoints, type EmptyingTimes } from './wal-checkpoints.js';
import { WalFlush, type FileSync } from './wal-flush.js';

interface Write {
  rows: number;
  apply: () => void;
  committed: () => void;
  failed: (error: unknown) => void;
  flush: 'now' | 'soon';
  /** Found the disk full once, and waits for the room that the logs give back. */
  hadNoRoom?: boolean;
}

interface WriteOptions {
  /** The maximum milliseconds to wait for other writes, so that one commit serves all. Default: 0. */
  waitMs?: number;
  /** `soon`: it is acknowledged once it is committed, which the death of the process does not undo, and is flushed within 100 ms. Default: `now`. */
  flush?: 'now' | 'soon' | undefined;
}

interface GroupCommitOptions {
  /** Default: power. */
  durability?: Durability | undefined;
  /** When what was overwritten or erased leaves the write-ahead log; by default a production's times. */
  emptying?: EmptyingTimes;
  /** Default: fdatasync. */
  sync?: FileSync | undefined;
}

const isStorageFull = (error: unknown): boolean => error instanceof AppError && error.code === 'storage_full';

/** Keeps a transaction to a few milliseconds of the event loop. */
const MAX_ROWS = 512;

/**
 * Puts the writes of one turn of the event loop into one transaction, in the order of the calls, and the transactions
 * committed during one flush of the disk into the next flush.
 */
export class GroupCommit {
  private queue: Write[] = [];
  private scheduled = false;
  /** The timer of writes that wait for others. */
  private waitTimer: NodeJS.Timeout | undefined;
  private closed = false;
  private readonly checkpoints: WalCheckpoints | undefined;
  /** Undefined where a commit need not survive a power cut. */
  private readonly flushes: WalFlush | undefined;
  private readonly inTransaction: <T>(work: () => T) => T;

  /** @param closedError what a write after `close` fails with */
  constructor(
    private readonly database: DatabaseSync,
    private readonly closedError: () => AppError,
    { durability = 'power', emptying, sync }: GroupCommitOptions = {},
  ) {
    this.inTransaction = transactions(database);
    const path = database.location();
    this.checkpoints = path === null ? undefined : new WalCheckpoints(path, emptying);
    this.flushes = path === null || durability === 'process' ? undefined : new WalFlush(path, sync);
  }

  /**
   * Resolves to what `write` gave, once it is durable. A write that throws leaves nothing behind and fails alone.
   * @param rows that it touches, roughly
   * @param write sees what those before it wrote; called again when one of its neighbours failed
   */
  async run<R>(rows: number, write: () => R, { waitMs = 0, flush = 'now' }: WriteOptions = {}): Promise<R> {
    if (this.closed) throw this.closedError();
    let result: R | undefined;
    await new Promise<void>((committed, failed) => {
      this.queue.push({ rows, apply: () => (result = write()), committed, failed, flush });
      if (waitMs === 0) this.schedule();
      else this.scheduleWithin(waitMs);
    });
    return result as R;
  }

  /**
   * After a write that erased something: what it removed stays in the write-ahead log until that is emptied, which happens
   * within a second or two, on a thread.
   */
  leaveNoTrace(): void {
    this.checkpoints?.emptySoon();
  }

  /** Resolves once every write that was acknowledged is on the disk, or survives the process where no more is wanted. @throws AppError storage_failed */
  async flush(): Promise<void> {
    await this.flushes?.flush();
  }

  /**
   * A commit can be read a moment before it is on the disk. Readers wait for this before they hand out what they read, so that
   * a power cut takes back nothing that was seen. Undefined when there is nothing to wait for.
   */
  get unflushed(): Promise<void> | undefined {
    return this.flushes?.pending;
  }

  /** @throws AppError storage_failed once the disk has failed to store a commit: only a restart helps */
  check(): void {
    this.flushes?.check();
  }

  /** Commits what is queued. Resolves once it is durable. @throws AppError storage_failed when a commit may be lost */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.waitTimer);
    while (this.queue.length > 0) this.commit();
    await this.checkpoints?.close();
    await this.flushes?.close();
  }

  private scheduleWithin(milliseconds: number): void {
    if (this.scheduled) return;
    this.waitTimer ??= setTimeout(() => this.schedule(), milliseconds);
  }

  private schedule(): void {
    if (this.scheduled) return;
    clearTimeout(this.waitTimer);
    this.waitTimer = undefined;
    this.scheduled = true;
    setImmediate(() => this.commitQueued());
  }

  private commitQueued(): void {
    this.scheduled = false;
    if (this.queue.length > 0) this.commit();
    if (this.queue.length > 0) this.schedule();
  }

  private commit(): void {
    const writes = this.takeSome();
    const failures = new Map<Write, unknown>();
    try {
      // After a failed flush, a commit may be lost.
      this.check();
      this.commitAll(writes, failures);
    } catch (thrown) {
      this.failOrMakeRoom(writes, fromSqliteError(thrown));
      return;
    }
    this.checkpoints?.afterCommit();
    const settle = (some: readonly Write[]) => some.forEach((write) => (failures.has(write) ? write.failed(failures.get(write)) : write.committed()));
    if (this.flushes) this.settleFlushed(this.flushes, writes, settle);
    else settle(writes);
  }

  private settleFlushed(flushes: WalFlush, writes: readonly Write[], settle: (writes: readonly Write[]) => void): void {
    const soon = writes.filter(({ flush }) => flush === 'soon');
    const now = writes.filter(({ flush }) => flush === 'now');
    if (soon.length > 0) flushes.flushSoon();
    settle(soon);
    if (now.length > 0) flushes.flush().then(() => settle(now), (error: unknown) => now.forEach(({ failed }) => failed(error)));
  }

  /** A full disk has room again, most times, once the write-ahead logs are empty: what is written then may be a deletion. */
  private failOrMakeRoom(writes: readonly Write[], error: unknown): void {
    const again = writes.filter(({ hadNoRoom }) => isStorageFull(error) && !this.closed && !hadNoRoom);
    for (const write of writes) if (!again.includes(write)) write.failed(error);
    if (again.length === 0) return;
    for (const write of again) write.hadNoRoom = true;
    this.queue.unshift(...again);
    this.scheduled = true;
    void WalCheckpoints.emptyAll().then(() => this.commitQueued());
  }

  /** All together; when one fails, once more with a savepoint around each, which costs as much again as an insert. */
  private commitAll(writes: readonly Write[], failures: Map<Write, unknown>): void {
    try {
      this.inTransaction(() => writes.forEach(({ apply }) => apply()));
    } catch (thrown) {
      if (writes.length === 1) throw thrown;
      this.inTransaction(() => {
        for (const write of writes) this.applyGuarded(write, failures);
      });
    }
  }

  private applyGuarded(write: Write, failures: Map<Write, unknown>): void {
    this.database.exec('SAVEPOINT guarded_write');
    try {
      write.apply();
    } catch (thrown) {
      const error = fromSqliteError(thrown);
      // A full disk takes the whole transaction along.
      if (!this.database.isTransaction || isStorageFull(error)) throw thrown;
      this.database.exec('ROLLBACK TO guarded_write');
      failures.set(write, error);
    }
    this.database.exec('RELEASE guarded_write');
  }

  private takeSome(): Write[] {
    let rows = 0;
    let count = 0;
    for (const write of this.queue) {
      if (count > 0 && rows + write.rows > MAX_ROWS) break;
      rows += write.rows;
      count += 1;
    }
    return this.queue.splice(0, count);
  }
}
