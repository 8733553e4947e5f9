import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { NewEvent } from '@parlance/event-bus';
import { isConstraintViolation } from '@parlance/platform/sqlite';
import type { Change, CollectionDefinition, Document, DocumentCollection, Insert, Page, Query, Stored, UpdateResult } from '../document-collection.js';
import { duplicate, versionConflict } from '../document-errors.js';
import { fieldPaths, valueAt, type FieldPaths } from '../field-paths.js';
import { hasTakenIn, takeIn, type Inbox } from '../inbox.js';
import { encodeCursor } from '../page-cursor.js';
import { tableOf } from './collection-schema.js';
import { FreshReads } from './fresh-reads.js';
import { pageSql, whereSql } from './query-sql.js';
import type { SqliteOutbox, Written } from './sqlite-outbox.js';

interface Row {
  version: number;
  /** JSON. */
  document: string;
  /** JSON. */
  inbox: string;
}

const DEFAULT_LIMIT = 20;
/** Rows removed in one transaction, before the event loop gets its turn. */
const REMOVE_AT_ONCE = 500;

const REPLACEMENT = 'version = version + 1, document = ?, inbox = coalesce(?, inbox)';

export class SqliteDocumentCollection<T extends Document> implements DocumentCollection<T> {
  private readonly name: string;
  private readonly table: string;
  private readonly paths: FieldPaths;
  private readonly freshReads: FreshReads | undefined;
  private readonly statements = new Map<string, StatementSync>();

  constructor(
    definition: CollectionDefinition<T>,
    private readonly database: DatabaseSync,
    private readonly outbox: SqliteOutbox,
  ) {
    this.name = definition.name;
    this.table = tableOf(definition.name);
    this.paths = fieldPaths(definition);
    this.freshReads = definition.freshness && new FreshReads(foreignVersionOf(database));
  }

  async insert(document: T, events: readonly NewEvent[] = []): Promise<Stored<T>> {
    const json = JSON.stringify(document);
    const isNew = await this.write(() => unlessVain(this.isInserted(document, json), events));
    if (!isNew) throw duplicate(this.name);
    return written<T>(json, 1);
  }

  async insertInOrder(inserts: readonly Insert<T>[]): Promise<number> {
    const rows = inserts.map(({ document, events = [] }) => ({ document, json: JSON.stringify(document), events }));
    return this.write(() => {
      const existing = rows.findIndex(({ document, json }) => !this.isInserted(document, json));
      const inserted = existing < 0 ? rows : rows.slice(0, existing);
      return { result: inserted.length, events: inserted.flatMap(({ events }) => events) };
    }, rows.length);
  }

  async get(id: string): Promise<Stored<T> | undefined> {
    const asOf = this.freshReads?.now();
    const row = this.row(id);
    return row && { ...stored<T>(row), ...(asOf !== undefined && { freshness: this.freshReads?.of(id, asOf) }) };
  }

  async replace(document: T, expectedVersion: number, events: readonly NewEvent[] = []): Promise<Stored<T>> {
    const json = JSON.stringify(document);
    const replaced = await this.write(() => unlessVain(this.replaceRow(document, json, expectedVersion), events));
    if (!replaced) throw versionConflict(this.name);
    return replaced;
  }

  async remove(id: string, expectedVersion?: number): Promise<boolean> {
    const removed = await this.write<boolean | 'overtaken'>(() => {
      this.freshReads?.changed(id);
      if (expectedVersion === undefined) return quietly(this.run('DELETE FROM $table WHERE id = ?', id) > 0);
      const found = this.run('DELETE FROM $table WHERE id = ? AND version = ?', id, expectedVersion) > 0;
      return quietly(found || (this.row(id) ? 'overtaken' : false));
    });
    if (removed === 'overtaken') throw versionConflict(this.name);
    if (removed) this.outbox.leaveNoTrace();
    return removed;
  }

  async removeWhere(where: NonNullable<Query['where']>): Promise<number> {
    const { text, values } = whereSql(where, this.paths, this.name);
    if (Object.values(where).every((value) => value === undefined)) throw new Error(`removeWhere on ${this.name} needs a condition`);
    const sql = `DELETE FROM $table WHERE id IN (SELECT id FROM $table WHERE ${text} LIMIT ${REMOVE_AT_ONCE})`;
    let removed = 0;
    for (;;) {
      const some = await this.write(() => {
        this.freshReads?.allChanged();
        return quietly(this.run(sql, ...values));
      }, REMOVE_AT_ONCE);
      removed += some;
      if (some > 0) this.outbox.leaveNoTrace();
      if (some < REMOVE_AT_ONCE) return removed;
    }
  }

  async find(query: Query = {}): Promise<Page<T>> {
    const limit = query.limit ?? DEFAULT_LIMIT;
    const { text, values, order } = pageSql(query, limit, this.paths, this.name);
    const rows = this.all(`SELECT version, document FROM $table WHERE ${text}`, ...values);
    const items = rows.slice(0, limit).map((row) => stored<T>(row as unknown as Row));
    const last = items.at(-1)?.document;
    const hasMore = rows.length > limit && last !== undefined;
    return { items, nextCursor: hasMore ? encodeCursor(order, { value: orderValue(last, order.orderBy), id: last.id }) : null };
  }

  async count(where?: Query['where']): Promise<number> {
    const { text, values } = whereSql(where, this.paths, this.name);
    return Number(this.all(`SELECT count(*) AS count FROM $table WHERE ${text}`, ...values)[0]?.['count']);
  }

  /** Reads within the transaction that writes, so that no other write comes between. */
  async update(id: string, change: Change<T>, { eventId }: { eventId?: string } = {}): Promise<UpdateResult<T>> {
    return this.write<UpdateResult<T>>(() => {
      const row = this.row(id);
      const inbox = row && (JSON.parse(row.inbox) as Inbox);
      const isKnown = eventId !== undefined && inbox !== undefined && hasTakenIn(inbox, eventId);
      const changed = isKnown ? undefined : change(row && stored<T>(row).document);
      if (!changed) return quietly<UpdateResult<T>>({ stored: row && stored<T>(row), changed: false });
      const { document, events = [] } = changed;
      if (document.id !== id) throw new Error(`a change of ${id} in ${this.name} gave a document with another id`);
      const nextInbox = eventId === undefined ? undefined : takeIn(inbox ?? [], eventId);
      const json = JSON.stringify(document);
      const after = row ? this.replaceRow(document, json, row.version, nextInbox) : this.insertRow(document, json, nextInbox ?? []);
      return { result: { stored: after, changed: true }, events };
    });
  }

  private insertRow({ id, createdAt }: T, json: string, inbox: Inbox): Stored<T> {
    this.run('INSERT INTO $table (id, version, created_at, document, inbox) VALUES (?, 1, ?, ?, ?)', id, createdAt, json, JSON.stringify(inbox));
    return written<T>(json, 1);
  }

  /** The statement alone is undone when there is one already. */
  private isInserted(document: T, json: string): boolean {
    try {
      this.insertRow(document, json, []);
      return true;
    } catch (error) {
      if (isConstraintViolation(error)) return false;
      throw error;
    }
  }

  /** @returns undefined when there is no such version. */
  private replaceRow({ id, createdAt }: T, json: string, version: number, inbox?: Inbox): Stored<T> | undefined {
    this.freshReads?.changed(id);
    const values = [json, inbox ? JSON.stringify(inbox) : null, createdAt, id, version] as const;
    // A time of creation hardly ever changes, and its index need not be written when it is not named.
    const replaced = this.run(`UPDATE $table SET ${REPLACEMENT} WHERE created_at = ? AND id = ? AND version = ?`, ...values);
    if (replaced === 0 && this.run(`UPDATE $table SET ${REPLACEMENT}, created_at = ? WHERE id = ? AND version = ?`, ...values) === 0) return undefined;
    return written<T>(json, version + 1);
  }

  private row(id: string): Row | undefined {
    return this.statement('SELECT version, document, inbox FROM $table WHERE id = ?').get(id) as Row | undefined;
  }

  private async write<R>(write: () => Written<R>, rows = 1): Promise<R> {
    try {
      return await this.outbox.commit(rows, write);
    } catch (error) {
      throw isConstraintViolation(error) ? duplicate(this.name, error) : error;
    }
  }

  private run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.statement(sql).run(...values).changes);
  }

  private all(sql: string, ...values: SQLInputValue[]): Record<string, SQLOutputValue>[] {
    return this.statement(sql).all(...values);
  }

  private statement(sql: string): StatementSync {
    let statement = this.statements.get(sql);
    if (!statement) {
      statement = this.database.prepare(sql.replaceAll('$table', this.table));
      this.statements.set(sql, statement);
    }
    return statement;
  }
}

/** Changes with what other connections commit, never with what this one does: https://www.sqlite.org/pragma.html#pragma_data_version */
function foreignVersionOf(database: DatabaseSync): () => number {
  const version = database.prepare('PRAGMA data_version');
  return () => (database.isOpen ? Number(version.get()?.['data_version']) : NaN);
}

/** A copy of its own each time. */
const stored = <T extends Document>({ document, version }: Row): Stored<T> => ({ document: JSON.parse(document) as T, version });

/** As `stored`, but parsed when it is looked at, as most callers of a write do not. */
function written<T extends Document>(json: string, version: number): Stored<T> {
  let document: T | undefined;
  return {
    get document() {
      return (document ??= JSON.parse(json) as T);
    },
    version,
  };
}

/** A write without events. */
const quietly = <R>(result: R): Written<R> => ({ result, events: [] });

/**
 * With the events, if anything was written. One that comes too late is told of after the commit: thrown within, it would undo
 * the writes of all that share the commit, and each would be made once more.
 */
const unlessVain = <R>(result: R, events: readonly NewEvent[]): Written<R> => (result ? { result, events } : quietly(result));

function orderValue(document: Document, path: string): string | number {
  const value = valueAt(document, path);
  return typeof value === 'boolean' ? Number(value) : (value as string | number);
}
