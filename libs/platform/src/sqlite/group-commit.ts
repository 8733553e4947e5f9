import type { DatabaseSync } from 'node:sqlite';
import type { AppError } from '../errors/app-error.js';
import { inTransaction } from './open-sqlite-database.js';
import { fromSqliteError } from './sqlite-errors.js';
import { WalCheckpoints } from './wal-checkpoints.js';

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
  private closed = false;
  private readonly checkpoints: WalCheckpoints | undefined;

  /** @param closedError what a write after `close` fails with */
  constructor(
    private readonly database: DatabaseSync,
    private readonly closedError: () => AppError,
  ) {
    const path = database.location();
    this.checkpoints = path === null ? undefined : new WalCheckpoints(path);
  }

  /**
   * Resolves to what `write` gave, once it is durable. A write that throws leaves nothing behind and fails alone.
   * @param rows that it touches, roughly
   * @param write sees what those before it wrote; called again when one of its neighbours failed
   */
  async run<R>(rows: number, write: () => R): Promise<R> {
    if (this.closed) throw this.closedError();
    let result: R | undefined;
    await new Promise<void>((committed, failed) => {
      this.queue.push({ rows, apply: () => (result = write()), committed, failed });
      this.schedule();
    });
    return result as R;
  }

  /** Commits what is queued. */
  close(): void {
    this.closed = true;
    while (this.queue.length > 0) this.commit();
  }

  private schedule(): void {
    if (this.scheduled) return;
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
      inTransaction(this.database, () => writes.forEach(({ apply }) => apply()));
    } catch (thrown) {
      if (writes.length === 1) throw thrown;
      inTransaction(this.database, () => {
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
