import type { DatabaseSync } from 'node:sqlite';
import type { Topic } from '@parlance/contracts';
import { EVENT_COLUMNS, eventValues, type EventRow } from './event-row.js';

export interface LoggedEvent extends EventRow {
  position: number;
}

export interface ReplayedEvent extends EventRow {
  id: number;
}

export interface DeadLetterRow extends EventRow {
  id: number;
  group_name: string;
  topic: string;
  reason: string;
  attempts: number;
  failed_at: string;
}

const SEVEN = '?, ?, ?, ?, ?, ?, ?';

/** The statements on the file of the bus: events of all topics, the groups' positions, dead letters. */
export class EventLog {
  private readonly statements;

  constructor(private readonly database: DatabaseSync) {
    const prepare = (sql: string) => database.prepare(sql);
    this.statements = {
      append: prepare(`INSERT INTO events (topic, published_at, ${EVENT_COLUMNS}) VALUES (?, ?, ${SEVEN})`),
      end: prepare('SELECT max(position) AS position FROM events'),
      read: prepare(`SELECT position, ${EVENT_COLUMNS} FROM events WHERE topic = ? AND position > ? ORDER BY position LIMIT ?`),
      join: prepare(`
        INSERT INTO consumer_groups (name, topic, floor, seen_at) VALUES (?, ?, 0, ?)
        ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at`),
      floor: prepare('SELECT floor FROM consumer_groups WHERE name = ? AND topic = ?'),
      raise: prepare('UPDATE consumer_groups SET floor = ? WHERE name = ? AND topic = ?'),
      done: prepare('SELECT position FROM done_events WHERE group_name = ? AND topic = ?'),
      addDone: prepare('INSERT OR IGNORE INTO done_events (group_name, topic, position) VALUES (?, ?, ?)'),
      forgetDone: prepare('DELETE FROM done_events WHERE group_name = ? AND topic = ? AND position <= ?'),
      forgetGroups: prepare('DELETE FROM consumer_groups WHERE topic = ? AND seen_at < ?'),
      forgetOrphans: prepare(`
        DELETE FROM done_events WHERE topic = ?1 AND group_name NOT IN (SELECT name FROM consumer_groups WHERE topic = ?1)`),
      trim: prepare(`
        DELETE FROM events WHERE position IN (
          SELECT position FROM events
          WHERE topic = ?1 AND published_at < ?2
            AND position <= coalesce((SELECT min(floor) FROM consumer_groups WHERE topic = ?1), ${Number.MAX_SAFE_INTEGER})
          ORDER BY position LIMIT ?3)`),
      bury: prepare(`
        INSERT INTO dead_letters (group_name, topic, reason, attempts, failed_at, ${EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ${SEVEN})`),
      letters: prepare(`
        SELECT * FROM dead_letters WHERE (?1 IS NULL OR topic = ?1) AND (?2 IS NULL OR group_name = ?2) ORDER BY id DESC LIMIT ?3`),
      letter: prepare('SELECT * FROM dead_letters WHERE id = ?'),
      dropLetter: prepare('DELETE FROM dead_letters WHERE id = ?'),
      replay: prepare(`
        INSERT INTO replays (group_name, topic, ${EVENT_COLUMNS}) SELECT group_name, topic, ${EVENT_COLUMNS} FROM dead_letters WHERE id = ?`),
      replays: prepare(`
        SELECT id, ${EVENT_COLUMNS} FROM replays WHERE group_name = ? AND topic = ? AND id > ? ORDER BY id LIMIT ?`),
      forgetReplay: prepare('DELETE FROM replays WHERE id = ?'),
      dataVersion: prepare('PRAGMA data_version'),
    };
  }

  append(topic: Topic, publishedAt: number, event: EventRow): void {
    this.statements.append.run(topic, publishedAt, ...eventValues(event));
  }

  /** The position of the newest event of all. */
  end(): number {
    return Number(this.statements.end.get()?.['position'] ?? 0);
  }

  read(topic: Topic, after: number, limit: number): LoggedEvent[] {
    return this.statements.read.all(topic, after, limit) as unknown as LoggedEvent[];
  }

  /** Makes the group known; a new one begins with the oldest event. */
  join(group: string, topic: Topic, now: number): void {
    this.statements.join.run(group, topic, now);
  }

  /** Up to where the group is done with everything. */
  floor(group: string, topic: Topic): number {
    return Number(this.statements.floor.get(group, topic)?.['floor'] ?? 0);
  }

  /** What the group is done with above its floor. */
  done(group: string, topic: Topic): Set<number> {
    return new Set(this.statements.done.all(group, topic).map(({ position }) => Number(position)));
  }

  /** Remembers that the group is done with the events at these positions, and with all up to the floor. */
  settle(group: string, topic: Topic, positions: readonly number[], floor: number): void {
    for (const position of positions) if (position > floor) this.statements.addDone.run(group, topic, position);
    this.statements.raise.run(floor, group, topic);
    this.statements.forgetDone.run(group, topic, floor);
  }

  /** Groups that nobody has subscribed to since then hold the log back no longer. */
  forgetGroups(topic: Topic, seenBefore: number): void {
    this.statements.forgetGroups.run(topic, seenBefore);
    this.statements.forgetOrphans.run(topic);
  }

  /** Removes events of before that time that all known groups are done with; @returns how many. */
  trim(topic: Topic, publishedBefore: number, limit: number): number {
    return Number(this.statements.trim.run(topic, publishedBefore, limit).changes);
  }

  bury(letter: Omit<DeadLetterRow, 'id'>): void {
    const { group_name, topic, reason, attempts, failed_at } = letter;
    this.statements.bury.run(group_name, topic, reason, attempts, failed_at, ...eventValues(letter));
  }

  letters(topic: Topic | undefined, group: string | undefined, limit: number): DeadLetterRow[] {
    return this.statements.letters.all(topic ?? null, group ?? null, limit) as unknown as DeadLetterRow[];
  }

  letter(id: number): DeadLetterRow | undefined {
    return this.statements.letter.get(id) as unknown as DeadLetterRow | undefined;
  }

  /** @returns whether it was there. */
  dropLetter(id: number): boolean {
    return this.statements.dropLetter.run(id).changes > 0;
  }

  /** Turns the letter into an event for its group alone; @returns whether it was there. */
  replay(id: number): boolean {
    this.statements.replay.run(id);
    return this.dropLetter(id);
  }

  replays(group: string, topic: Topic, after: number, limit: number): ReplayedEvent[] {
    return this.statements.replays.all(group, topic, after, limit) as unknown as ReplayedEvent[];
  }

  forgetReplay(id: number): void {
    this.statements.forgetReplay.run(id);
  }

  /** Changes when another connection has committed. */
  dataVersion(): number {
    return Number(this.statements.dataVersion.get()?.['data_version']);
  }

  close(): void {
    this.database.close();
  }
}
