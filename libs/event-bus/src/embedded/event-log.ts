import type { DatabaseSync } from 'node:sqlite';
import type { Topic } from '@parlance/contracts';
import { ERASURE_REPORTS, rootOf } from '../erasable.js';
import { EVENT_COLUMNS, eventValues, type EventRow } from './event-row.js';

export interface LoggedEvent extends EventRow {
  position: number;
}

interface ReplayedEvent extends EventRow {
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

/** Events of the key and of keys below it go, but for that one. */
export interface Erasure {
  key: string;
  keptEvent: string;
}

/** Of which one event is of the key, ?1, or of one below it; `0` comes right after `/`. ?2 is the event to keep. */
const erasableFrom = (table: string) =>
  `${table} AS e WHERE (e.key = ?1 OR (e.key > ?1 || '/' AND e.key < ?1 || '0')) AND e.event_id <> ?2 AND e.topic <> '${ERASURE_REPORTS}'`;
/** Every known group has finished the event: it is not above the floor, or was finished before others below it. */
const PASSED_BY_ALL = `NOT EXISTS (
  SELECT 1 FROM consumer_groups AS g WHERE g.topic = e.topic AND g.floor < e.position AND NOT EXISTS (
    SELECT 1 FROM done_events AS d WHERE d.group_name = g.name AND d.topic = g.topic AND d.position = e.position))`;
const ERASABLE_EVENTS = erasableFrom('events');

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
      forgetOrphanedReplays: prepare(`
        DELETE FROM replays WHERE topic = ?1 AND group_name NOT IN (SELECT name FROM consumer_groups WHERE topic = ?1)`),
      forgetLetters: prepare('DELETE FROM dead_letters WHERE topic = ? AND failed_at < ?'),
      requestErasure: prepare(`
        INSERT INTO erasures (key, kept_event, requested_at, unfinished) VALUES (?, ?, ?, 1)
        ON CONFLICT DO UPDATE SET unfinished = 1`),
      erasures: prepare('SELECT key, kept_event FROM erasures WHERE key > ?1 AND unfinished >= ?2 ORDER BY key LIMIT ?3'),
      isErased: prepare('SELECT 1 FROM erasures WHERE key = ? AND kept_event <> ?'),
      isDue: prepare(`
        SELECT EXISTS (SELECT 1 FROM ${ERASABLE_EVENTS} AND ${PASSED_BY_ALL})
          OR (SELECT unfinished FROM erasures WHERE key = ?1) IS NOT EXISTS (SELECT 1 FROM ${ERASABLE_EVENTS}) AS due`),
      eraseEvents: prepare(`DELETE FROM events WHERE position IN (SELECT e.position FROM ${ERASABLE_EVENTS} AND ${PASSED_BY_ALL} LIMIT ?3)`),
      finishErasure: prepare(`
        UPDATE erasures SET unfinished = 1 - unfinished WHERE key = ?1 AND unfinished <> EXISTS (SELECT 1 FROM ${ERASABLE_EVENTS})`),
      eraseLetters: prepare(`DELETE FROM dead_letters WHERE id IN (SELECT e.id FROM ${erasableFrom('dead_letters')})`),
      eraseReplays: prepare(`DELETE FROM replays WHERE id IN (SELECT e.id FROM ${erasableFrom('replays')})`),
      forgetErasures: prepare('DELETE FROM erasures WHERE requested_at < ? AND unfinished = 0'),
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

  append(topic: Topic, publishedAt: number, event: EventRow): LoggedEvent {
    const { lastInsertRowid } = this.statements.append.run(topic, publishedAt, ...eventValues(event));
    return { position: Number(lastInsertRowid), ...event };
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

  /** The position up to which the group has finished every event. */
  floor(group: string, topic: Topic): number {
    return Number(this.statements.floor.get(group, topic)?.['floor'] ?? 0);
  }

  /** The positions above its floor that the group has finished. */
  done(group: string, topic: Topic): Set<number> {
    return new Set(this.statements.done.all(group, topic).map(({ position }) => Number(position)));
  }

  /** Records the events at these positions, and all up to the floor, as finished by the group. */
  settle(group: string, topic: Topic, positions: readonly number[], floor: number): void {
    for (const position of positions) if (position > floor) this.statements.addDone.run(group, topic, position);
    this.statements.raise.run(floor, group, topic);
    this.statements.forgetDone.run(group, topic, floor);
  }

  /** Groups without a subscription since then hold the log back no longer. */
  forgetGroups(topic: Topic, seenBefore: number): void {
    this.statements.forgetGroups.run(topic, seenBefore);
    this.statements.forgetOrphans.run(topic);
    this.statements.forgetOrphanedReplays.run(topic);
  }

  /** Removes events of before that time that all known groups are done with. @returns how many */
  trim(topic: Topic, publishedBefore: number, limit: number): number {
    return Number(this.statements.trim.run(topic, publishedBefore, limit).changes);
  }

  requestErasure({ key, keptEvent }: Erasure, now: number): void {
    this.statements.requestErasure.run(key, keptEvent, now);
  }

  /** In the order of their keys, after that one. */
  erasures(which: 'unfinished' | 'all', after: string, limit: number): Erasure[] {
    const rows = this.statements.erasures.all(after, which === 'unfinished' ? 1 : 0, limit);
    return rows.map((row) => ({ key: String(row['key']), keptEvent: String(row['kept_event']) }));
  }

  /** True when `eraseEvents` would change anything. */
  isDue({ key, keptEvent }: Erasure): boolean {
    return this.statements.isDue.get(key, keptEvent)?.['due'] === 1;
  }

  /** Removes events that all known groups are done with. @returns how many */
  eraseEvents({ key, keptEvent }: Erasure, limit: number): number {
    const erased = Number(this.statements.eraseEvents.run(key, keptEvent, limit).changes);
    this.statements.finishErasure.run(key, keptEvent);
    return erased;
  }

  /** Also those that wait to be delivered once more. */
  eraseLetters({ key, keptEvent }: Erasure): void {
    this.statements.eraseLetters.run(key, keptEvent);
    this.statements.eraseReplays.run(key, keptEvent);
  }

  forgetErasures(requestedBefore: number): void {
    this.statements.forgetErasures.run(requestedBefore);
  }

  /** @param failedBefore RFC 3339 UTC */
  forgetLetters(topic: Topic, failedBefore: string): void {
    this.statements.forgetLetters.run(topic, failedBefore);
  }

  /** @returns false for one that is not kept, as its key was erased meanwhile */
  bury(letter: Omit<DeadLetterRow, 'id'>): boolean {
    if (letter.topic !== ERASURE_REPORTS && this.statements.isErased.get(rootOf(letter.key), letter.event_id)) return false;
    const { group_name, topic, reason, attempts, failed_at } = letter;
    this.statements.bury.run(group_name, topic, reason, attempts, failed_at, ...eventValues(letter));
    return true;
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

  /** Turns the letter into an event for its group alone. @returns whether it was there */
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
