import type { DatabaseSync } from 'node:sqlite';
import type { AppError } from '../errors/app-error.js';
import { transactions } from './open-sqlite-database.js';
import { fromSqliteError } from './sqlite-errors.js';
import { WalCheckpoints, type EmptyingTimes } from './wal-checkpoints.js';

interface Write {
  rows: number;
  apply: () => void;
  committed: () => void;
  failed: (error: unknown) => void;
}

/** Keeps a transaction to a few milliseconds of the event loop. */
const MAX_ROWS = 512;

/** Puts the writes of one turn of the event loop into one transaction, in the order they were asked for. */
export class GroupCommit {
  private queue: Write[] = [];
  private scheduled = false;
  /** Of writes that wait for others. */
  private patience: NodeJS.Timeout | undefined;
  private closed = false;
  private readonly checkpoints: WalCheckpoints | undefined;
  private readonly inTransaction: <T>(work: () => T) => T;

  /**
   * @param closedError what a write after `close` fails with
   * @param emptying when what was overwritten or erased leaves the write-ahead log; by default a production's times
   */
  constructor(
    private readonly database: DatabaseSync,
    private readonly closedError: () => AppError,
    emptying?: EmptyingTimes,
  ) {
    this.inTransaction = transactions(database);
    const path = database.location();
    this.checkpoints = path === null ? undefined : new WalCheckpoints(path, emptying);
  }

  /**
   * Resolves to what `write` gave, once it is durable. A write that throws leaves nothing behind and fails alone.
   * @param rows that it touches, roughly
   * @param write sees what those before it wrote; called again when one of its neighbours failed
   * @param waitMs how long it may wait for other writes, so that one commit does for all; by default it waits for none
   */
  async run<R>(rows: number, write: () => R, { waitMs = 0 }: { waitMs?: number } = {}): Promise<R> {
    if (this.closed) throw this.closedError();
    let result: R | undefined;
    await new Promise<void>((committed, failed) => {
      this.queue.push({ rows, apply: () => (result = write()), committed, failed });
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

  /** Commits what is queued. */
  close(): void {
    this.closed = true;
    clearTimeout(this.patience);
    while (this.queue.length > 0) this.commit();
    this.checkpoints?.close();
  }

  private scheduleWithin(milliseconds: number): void {
    if (this.scheduled) return;
    this.patience ??= setTimeout(() => this.schedule(), milliseconds);
  }

  private schedule(): void {
    if (this.scheduled) return;
    clearTimeout(this.patience);
    this.patience = undefined;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      if (this.queue.length > 0) this.commit();
      if (this.queue.length > 0) this.schedule();
    });
  }

  private commit(): void {
    const writes = this.takeSome();
    const failures = new Map<Write, unknown>();
    try {
      this.commitAll(writes, failures);
    } catch (thrown) {
      const error = fromSqliteError(thrown);
      writes.forEach(({ failed }) => failed(error));
      return;
    }
    for (const write of writes) {
      if (failures.has(write)) write.failed(failures.get(write));
      else write.committed();
    }
    this.checkpoints?.afterCommit();
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
      // A full disk takes the whole transaction along.
      if (!this.database.isTransaction) throw thrown;
      this.database.exec('ROLLBACK TO guarded_write');
      failures.set(write, fromSqliteError(thrown));
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
