import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  eventFromJson,
  eventToJson,
  stampEvent,
  TELLS_OF_ERASURE,
  type EventJson,
  type EventStamps,
  type NewEvent,
  type OutboxEvent,
  type OutboxSource,
  type PendingEvents,
  type RefusedEvent,
} from '@parlance/event-bus';
import { currentTraceparent } from '@parlance/platform';
import type { GroupCommit } from '@parlance/platform/sqlite';
import type { InsertOptions } from '../document-collection.js';

/** The result of a write, and the events to publish about it. */
export interface Written<R> {
  result: R;
  events: readonly NewEvent[];
}

const DEFAULT_LIMIT = 100;
const NO_ROW = { lastInsertRowid: 0 };
/** Commits whose events are kept as they are, until they are published. */
const FRESH_COMMITS = 1000;
/** Milliseconds that the removal of published events waits for another commit to go along with. */
const REMOVE_WITHIN_MS = 20;
/** ?1 is the key; `0` comes right after `/`. Few enough to be read through. */
const REFUSED_OF_KEY = `refused_events
  WHERE (event ->> 'key' = ?1 OR (event ->> 'key' > ?1 || '/' AND event ->> 'key' < ?1 || '0'))
    AND event ->> 'type' NOT IN (${[...TELLS_OF_ERASURE].map((type) => `'${type}'`).join()})`;

/**
 * Events between their document's commit and the bus. SQLite has transactions over tables, so that they lie in a table of
 * their own: in the order of commits, and there still when the document is gone.
 */
export class SqliteOutbox implements OutboxSource {
  private readonly listeners: (() => void)[] = [];
  /** By position: published, and to be removed. */
  private readonly settled = new Set<number>();
  private removing = false;
  /** By position, of this process's latest commits, so that they need not be read back. */
  private readonly fresh = new Map<number, OutboxEvent[]>();
  private readonly insert: StatementSync;
  private readonly select: StatementSync;
  private readonly selectEvents: StatementSync;
  private readonly remove: StatementSync;
  private readonly refuse: StatementSync;
  private readonly selectRefused: StatementSync;
  private readonly removeRefused: StatementSync;
  private readonly hasRefused: StatementSync;
  private readonly eraseRefusedOf: StatementSync;
  private readonly removeRefusedBefore: StatementSync;

  constructor(
    database: DatabaseSync,
    private readonly commits: GroupCommit,
    private readonly stamps: EventStamps,
  ) {
    this.insert = database.prepare('INSERT INTO outbox (events) VALUES (?)');
    this.select = database.prepare('SELECT position FROM outbox ORDER BY position LIMIT ?');
    this.selectEvents = database.prepare('SELECT events FROM outbox WHERE position = ?');
    this.remove = database.prepare('DELETE FROM outbox WHERE position = ?');
    this.refuse = database.prepare('INSERT OR IGNORE INTO refused_events (event_id, event, reason, refused_at) VALUES (?, ?, ?, ?)');
    this.selectRefused = database.prepare('SELECT event, reason, refused_at FROM refused_events ORDER BY position LIMIT ?');
    this.removeRefused = database.prepare('DELETE FROM refused_events WHERE event_id = ?');
    this.hasRefused = database.prepare(`SELECT 1 FROM ${REFUSED_OF_KEY} LIMIT 1`);
    this.eraseRefusedOf = database.prepare(`DELETE FROM ${REFUSED_OF_KEY}`);
    this.removeRefusedBefore = database.prepare('DELETE FROM refused_events WHERE refused_at < ?');
  }

  /** Commits the write together with its events; one that throws commits nothing. */
  async commit<R>(rows: number, write: () => Written<R>, options?: InsertOptions): Promise<R> {
    // Read here: the commit runs for several callers at once.
    const stamps = { ...this.stamps, traceparent: currentTraceparent() };
    const { result, events, position } = await this.commits.run(rows, () => this.insertEvents(write(), stamps), options);
    if (events.length > 0) {
      if (this.fresh.size < FRESH_COMMITS) this.fresh.set(position, events);
      this.listeners.forEach((listener) => listener());
    }
    return result;
  }

  private insertEvents<R>({ result, events: unstamped }: Written<R>, stamps: EventStamps): { result: R; events: OutboxEvent[]; position: number } {
    const events = unstamped.map((event) => stampEvent(event, stamps));
    const { lastInsertRowid } = events.length > 0 ? this.insert.run(JSON.stringify(events.map(eventToJson))) : NO_ROW;
    return { result, events, position: Number(lastInsertRowid) };
  }

  /** See `GroupCommit.unflushed`. */
  get unflushed(): Promise<void> | undefined {
    return this.commits.unflushed;
  }

  /** Removes the data of the last write from the file's log soon. */
  leaveNoTrace(): void {
    this.commits.leaveNoTrace();
  }

  async pending(limit: number): Promise<PendingEvents[]> {
    const positions = this.select.all(limit + this.settled.size).map(({ position }) => Number(position));
    const unsettled = positions.filter((position) => !this.settled.has(position));
    const pending = unsettled.slice(0, limit).map((position) => ({ ref: String(position), events: this.fresh.get(position) ?? this.read(position) }));
    // An event whose document is not on the disk yet would outlive it in a power cut.
    await this.unflushed;
    return pending;
  }

  private read(position: number): OutboxEvent[] {
    return (JSON.parse(String(this.selectEvents.get(position)?.['events'])) as EventJson[]).map(eventFromJson);
  }

  async settle(pending: readonly PendingEvents[]): Promise<void> {
    if (pending.length === 0) return;
    for (const { ref } of pending) this.settled.add(Number(ref));
    void this.removeSettled();
  }

  /** Events that a crash or a full disk left are published again, with the same ids. */
  private async removeSettled(): Promise<void> {
    if (this.removing) return;
    this.removing = true;
    try {
      while (this.settled.size > 0) await this.removeSome();
    } catch {
      // They go with the next.
    } finally {
      this.removing = false;
    }
  }

  private async removeSome(): Promise<void> {
    let positions: number[] = [];
    const remove = () => {
      positions = [...this.settled];
      for (const position of positions) this.remove.run(position);
    };
    await this.commits.run(this.settled.size, remove, { waitMs: REMOVE_WITHIN_MS });
    for (const position of positions) this.forget(position);
  }

  private forget(position: number): void {
    this.settled.delete(position);
    this.fresh.delete(position);
  }

  async setAside(event: OutboxEvent, reason: string): Promise<void> {
    const refusedAt = this.stamps.clock.now().toISOString();
    await this.commits.run(1, () => this.refuse.run(event.id, JSON.stringify(eventToJson(event)), reason, refusedAt));
  }

  async refused(limit = DEFAULT_LIMIT): Promise<RefusedEvent[]> {
    return this.selectRefused.all(limit).map((row) => ({
      event: eventFromJson(JSON.parse(String(row['event'])) as EventJson),
      reason: String(row['reason']),
      refusedAt: String(row['refused_at']),
    }));
  }

  async dropRefused(eventId: string): Promise<boolean> {
    return this.commits.run(1, () => this.removeRefused.run(eventId).changes > 0);
  }

  async eraseRefused(key: string): Promise<void> {
    if (this.hasRefused.get(key) === undefined) return;
    await this.commits.run(1, () => this.eraseRefusedOf.run(key));
    this.leaveNoTrace();
  }

  async forgetRefused(before: Date): Promise<void> {
    await this.commits.run(1, () => this.removeRefusedBefore.run(before.toISOString()));
  }

  onCommit(listener: () => void): void {
    this.listeners.push(listener);
  }
}
