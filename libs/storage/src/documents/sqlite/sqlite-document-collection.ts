import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NewEvent } from '@parlance/event-bus';
import { fromSqliteError, isConstraintViolation } from '@parlance/platform/sqlite';
import type { Change, CollectionDefinition, Document, DocumentCollection, Page, Query, Stored, UpdateResult } from '../document-collection.js';
import { duplicate, versionConflict } from '../document-errors.js';
import { fieldPaths, valueAt, type FieldPaths } from '../field-paths.js';
import { hasTakenIn, takeIn, type Inbox } from '../inbox.js';
import { encodeCursor } from '../page-cursor.js';
import { tableOf } from './collection-schema.js';
import { pageSql, whereSql } from './query-sql.js';
import type { SqliteOutbox } from './sqlite-outbox.js';

interface Row<T extends Document> extends Stored<T> {
  inbox: Inbox;
}

const DEFAULT_LIMIT = 20;
/** Rows removed before the event loop gets its turn. */
const REMOVE_AT_ONCE = 500;

export class SqliteDocumentCollection<T extends Document> implements DocumentCollection<T> {
  private readonly name: string;
  private readonly table: string;
  private readonly paths: FieldPaths;
  private readonly statements = new Map<string, StatementSync>();

  constructor(
    definition: CollectionDefinition<T>,
    private readonly database: DatabaseSync,
    private readonly outbox: SqliteOutbox,
  ) {
    this.name = definition.name;
    this.table = tableOf(definition.name);
    this.paths = fieldPaths(definition);
  }

  async insert(document: T, events?: readonly NewEvent[]): Promise<Stored<T>> {
    return this.write(events, () => this.insertRow(document, []));
  }

  async get(id: string): Promise<Stored<T> | undefined> {
    const row = this.row(id);
    return row && { document: row.document, version: row.version };
  }

  async replace(document: T, expectedVersion: number, events?: readonly NewEvent[]): Promise<Stored<T>> {
    return this.write(events, () => this.replaceRow(document, expectedVersion));
  }

  async remove(id: string, expectedVersion?: number): Promise<boolean> {
    return this.write(undefined, () => {
      if (expectedVersion === undefined) return this.run('DELETE FROM $table WHERE id = ?', id) > 0;
      const removed = this.run('DELETE FROM $table WHERE id = ? AND version = ?', id, expectedVersion) > 0;
      if (!removed && this.row(id)) throw versionConflict(this.name);
      return removed;
    });
  }

  async removeWhere(where: NonNullable<Query['where']>): Promise<number> {
    const { text, values } = whereSql(where, this.paths, this.name);
    if (values.length === 0) throw new Error(`removeWhere on ${this.name} needs a condition`);
    let removed = 0;
    for (;;) {
      const some = this.write(undefined, () =>
        this.run(`DELETE FROM $table WHERE id IN (SELECT id FROM $table WHERE ${text} LIMIT ${REMOVE_AT_ONCE})`, ...values),
      );
      removed += some;
      if (some < REMOVE_AT_ONCE) return removed;
      await nextTurn();
    }
  }

  async find(query: Query = {}): Promise<Page<T>> {
    const limit = query.limit ?? DEFAULT_LIMIT;
    const { text, values, order } = pageSql(query, limit, this.paths, this.name);
    const rows = this.all(`SELECT version, document FROM $table WHERE ${text}`, ...values);
    const items = rows.slice(0, limit).map((row) => ({ document: JSON.parse(String(row['document'])) as T, version: Number(row['version']) }));
    const last = items.at(-1)?.document;
    const hasMore = rows.length > limit && last !== undefined;
    return { items, nextCursor: hasMore ? encodeCursor(order, { value: orderValue(last, order.orderBy), id: last.id }) : null };
  }

  async count(where?: Query['where']): Promise<number> {
    const { text, values } = whereSql(where, this.paths, this.name);
    return Number(this.all(`SELECT count(*) AS count FROM $table WHERE ${text}`, ...values)[0]?.['count']);
  }

  async update(id: string, change: Change<T>, { eventId }: { eventId?: string } = {}): Promise<UpdateResult<T>> {
    for (;;) {
      const row = this.row(id);
      const stored = row && { document: row.document, version: row.version };
      if (eventId !== undefined && row && hasTakenIn(row.inbox, eventId)) return { stored, changed: false };
      const changed = change(stored && structuredClone(stored.document));
      if (!changed) return { stored, changed: false };
      const inbox = eventId === undefined ? row?.inbox : takeIn(row?.inbox ?? [], eventId);
      try {
        return { stored: this.writeChange(id, changed, row?.version, inbox), changed: true };
      } catch (error) {
        if (!this.overtaken(id, row, error)) throw error;
      }
    }
  }

  private writeChange(id: string, { document, events }: NonNullable<ReturnType<Change<T>>>, version: number | undefined, inbox: Inbox | undefined): Stored<T> {
    if (document.id !== id) throw new Error(`a change of ${id} in ${this.name} gave a document with another id`);
    return this.write(events, () => (version === undefined ? this.insertRow(document, inbox ?? []) : this.replaceRow(document, version, inbox)));
  }

  /** Whether a write failed because another process wrote the document meanwhile. */
  private overtaken(id: string, before: Row<T> | undefined, error: unknown): boolean {
    const { code } = error as { code?: unknown };
    return code === 'version_conflict' || (code === 'duplicate' && before === undefined && this.row(id) !== undefined);
  }

  private insertRow(document: T, inbox: Inbox): Stored<T> {
    const json = JSON.stringify(document);
    this.run(
      'INSERT INTO $table (id, version, created_at, document, inbox) VALUES (?, 1, ?, ?, ?)',
      document.id,
      document.createdAt,
      json,
      JSON.stringify(inbox),
    );
    return { document: JSON.parse(json) as T, version: 1 };
  }

  private replaceRow(document: T, version: number, inbox?: Inbox): Stored<T> {
    const json = JSON.stringify(document);
    const replaced = this.run(
      'UPDATE $table SET version = version + 1, created_at = ?, document = ?, inbox = coalesce(?, inbox) WHERE id = ? AND version = ?',
      document.createdAt,
      json,
      inbox ? JSON.stringify(inbox) : null,
      document.id,
      version,
    );
    if (replaced === 0) throw versionConflict(this.name);
    return { document: JSON.parse(json) as T, version: version + 1 };
  }

  private row(id: string): Row<T> | undefined {
    const [row] = this.all('SELECT version, document, inbox FROM $table WHERE id = ?', id);
    if (!row) return undefined;
    return {
      document: JSON.parse(String(row['document'])) as T,
      version: Number(row['version']),
      inbox: JSON.parse(String(row['inbox'])) as string[],
    };
  }

  private write<R>(events: readonly NewEvent[] | undefined, work: () => R): R {
    try {
      return this.outbox.commit(events, work);
    } catch (error) {
      throw isConstraintViolation(error) ? duplicate(this.name, error) : fromSqliteError(error);
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

function orderValue(document: Document, path: string): string | number {
  const value = valueAt(document, path);
  return typeof value === 'boolean' ? Number(value) : (value as string | number);
}
