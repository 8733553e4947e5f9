import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '@parlance/platform';
import { fromSqliteError, inTransaction } from '@parlance/platform/sqlite';

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

  constructor(private readonly database: DatabaseSync) {}

  /**
   * Resolves to what `write` gave, once it is durable.
   * @param rows that it touches, roughly
   * @param write must not fail for reasons of its own, as it would take its neighbours along
   */
  async run<R>(rows: number, write: () => R): Promise<R> {
    if (this.closed) throw closedError();
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
    try {
      inTransaction(this.database, () => writes.forEach(({ apply }) => apply()));
    } catch (thrown) {
      const error = fromSqliteError(thrown);
      writes.forEach(({ failed }) => failed(error));
      return;
    }
    writes.forEach(({ committed }) => committed());
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

const closedError = () => new AppError({ kind: 'unavailable', code: 'event_bus_closed', message: 'The event bus is closed.' });
