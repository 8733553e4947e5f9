import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  eventFromJson,
  eventToJson,
  stampEvent,
  type EventJson,
  type EventStamps,
  type NewEvent,
  type OutboxSource,
  type PendingEvents,
} from '@parlance/event-bus';
import type { GroupCommit } from '@parlance/platform/sqlite';

/** What a write gave, and the events to publish about it. */
export interface Written<R> {
  result: R;
  events: readonly NewEvent[];
}

/**
 * Events between their document's commit and the bus. SQLite has transactions over tables, so that they lie in a table of
 * their own: in the order of commits, and there still when the document is gone.
 */
export class SqliteOutbox implements OutboxSource {
  private readonly listeners: (() => void)[] = [];
  private readonly insert: StatementSync;
  private readonly select: StatementSync;
  private readonly remove: StatementSync;

  constructor(
    database: DatabaseSync,
    private readonly commits: GroupCommit,
    private readonly stamps: EventStamps,
  ) {
    this.insert = database.prepare('INSERT INTO outbox (events) VALUES (?)');
    this.select = database.prepare('SELECT position, events FROM outbox ORDER BY position LIMIT ?');
    this.remove = database.prepare('DELETE FROM outbox WHERE position = ?');
  }

  /** Commits the write together with its events; one that throws commits nothing. */
  async commit<R>(rows: number, write: () => Written<R>): Promise<R> {
    const { result, events } = await this.commits.run(rows, () => {
      const written = write();
      if (written.events.length > 0) this.insert.run(JSON.stringify(written.events.map((event) => eventToJson(stampEvent(event, this.stamps)))));
      return written;
    });
    if (events.length > 0) this.listeners.forEach((listener) => listener());
    return result;
  }

  async pending(limit: number): Promise<PendingEvents[]> {
    return this.select.all(limit).map(({ position, events }) => ({
      ref: String(position),
      events: (JSON.parse(String(events)) as EventJson[]).map(eventFromJson),
    }));
  }

  async settle(pending: readonly PendingEvents[]): Promise<void> {
    if (pending.length === 0) return;
    await this.commits.run(pending.length, () => pending.forEach(({ ref }) => this.remove.run(Number(ref))));
  }

  onCommit(listener: () => void): void {
    this.listeners.push(listener);
  }
}
