import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { NewEvent } from '@parlance/event-bus';
import { isConstraintViolation } from '@parlance/platform/sqlite';
import type { Change, CollectionDefinition, Document, DocumentCollection, Insert, InsertOptions, Page, PagesQuery, Query, Stored, UpdateResult } from '../document-collection.js';
import { duplicate, versionConflict } from '../document-errors.js';
import { DocumentSchema } from '../document-schema.js';
import { everyPage } from '../every-page.js';
import { fieldPaths, valueAt, type FieldPaths } from '../field-paths.js';
import { encodeCursor } from '../page-cursor.js';
import { NO_INBOX, tableOf } from './collection-schema.js';
import { expressionOf } from './field-expressions.js';
import { pageSql, whereSql } from './query-sql.js';
import type { SqliteOutbox, Written } from './sqlite-outbox.js';

interface Row {
  version: number;
  /** JSON. */
  document: string;
}

const DEFAULT_LIMIT = 20;
/** Rows removed in one transaction, before the event loop gets its turn. */
const REMOVE_AT_ONCE = 500;

const REPLACEMENT = 'version = version + 1, document = ?';

export class SqliteDocumentCollection<T extends Document> implements DocumentCollection<T> {
  private readonly name: string;
  private readonly table: string;
  private readonly paths: FieldPaths;
  private readonly schema: DocumentSchema<T>;
  private readonly statements = new Map<string, StatementSync>();

  constructor(
    definition: CollectionDefinition<T>,
    private readonly database: DatabaseSync,
    private readonly outbox: SqliteOutbox,
  ) {
    this.name = definition.name;
    this.table = tableOf(definition.name);
    this.paths = fieldPaths(definition);
    this.schema = new DocumentSchema(definition);
  }

  async insert(document: T, events?: readonly NewEvent[]): Promise<Stored<T>> {
    const stored = await this.insertIfAbsent(document, events);
    if (!stored) throw duplicate(this.name);
    return stored;
  }

  async insertIfAbsent(document: T, events: readonly NewEvent[] = []): Promise<Stored<T> | undefined> {
    const json = this.jsonOf(document);
    const isNew = await this.write(() => eventsIfChanged(this.isInserted(document, json), events));
    return isNew ? this.written(json, 1) : undefined;
  }

  async insertInOrder(inserts: readonly Insert<T>[], options?: InsertOptions): Promise<number> {
    const rows = inserts.map(({ document, events = [] }) => ({ document, json: this.jsonOf(document), events }));
    return this.write(() => {
      const existing = rows.findIndex(({ document, json }) => !this.isInserted(document, json));
      const inserted = existing < 0 ? rows : rows.slice(0, existing);
      return { result: inserted.length, events: inserted.flatMap(({ events }) => events) };
    }, rows.length, options);
  }

  async get(id: string): Promise<Stored<T> | undefined> {
    const row = this.row(id);
    await this.outbox.unflushed;
    return row && this.stored(row);
  }

  async replace(document: T, expectedVersion: number, events?: readonly NewEvent[]): Promise<Stored<T>> {
    const replaced = await this.replaceIf(document, expectedVersion, events);
    if (!replaced) throw versionConflict(this.name);
    return replaced;
  }

  async replaceIf(document: T, expectedVersion: number, events: readonly NewEvent[] = []): Promise<Stored<T> | undefined> {
    const json = this.jsonOf(document);
    return this.write(() => eventsIfChanged(this.replaceRow(document, json, expectedVersion), events));
  }

  async remove(id: string, expectedVersion?: number): Promise<boolean> {
    const removed = await this.write<boolean | 'overtaken'>(() => {
      if (expectedVersion === undefined) return withoutEvents(this.run('DELETE FROM $table WHERE id = ?', id) > 0);
      const found = this.run('DELETE FROM $table WHERE id = ? AND version = ?', id, expectedVersion) > 0;
      return withoutEvents(found || (this.row(id) ? 'overtaken' : false));
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
      const some = await this.write(() => withoutEvents(this.run(sql, ...values)), REMOVE_AT_ONCE);
      removed += some;
      if (some > 0) this.outbox.leaveNoTrace();
      if (some < REMOVE_AT_ONCE) return removed;
    }
  }

  async find(query: Query = {}): Promise<Page<T>> {
    const limit = query.limit ?? DEFAULT_LIMIT;
    const { text, values, order } = pageSql(query, limit, this.paths, this.name);
    const rows = this.rows(`SELECT version, document FROM $table WHERE ${text}`, ...values);
    await this.outbox.unflushed;
    const items = rows.slice(0, limit).map((row) => this.stored(row as unknown as Row));
    const last = items.at(-1)?.document;
    const hasMore = rows.length > limit && last !== undefined;
    return { items, nextCursor: hasMore ? encodeCursor(order, { value: orderValue(last, order.orderBy), id: last.id }) : null };
  }

  all(query: PagesQuery = {}): AsyncIterable<Stored<T>> {
    return everyPage(this, query);
  }

  async count(where?: Query['where']): Promise<number> {
    const { text, values } = whereSql(where, this.paths, this.name);
    const [row] = this.rows(`SELECT count(*) AS count FROM $table WHERE ${text}`, ...values);
    await this.outbox.unflushed;
    return Number(row?.['count']);
  }

  async sum(path: string, where?: Query['where']): Promise<number> {
    this.paths.requireOrder(path);
    const { text, values } = whereSql(where, this.paths, this.name);
    const [row] = this.rows(`SELECT total(${expressionOf(path)}) AS sum FROM $table WHERE ${text}`, ...values);
    await this.outbox.unflushed;
    return Number(row?.['sum']);
  }

  /** Reads within the transaction that writes, so that no other write comes between. */
  async update(id: string, change: Change<T>): Promise<UpdateResult<T>> {
    return this.write<UpdateResult<T>>(() => {
      const row = this.row(id);
      const changed = change(row && this.stored(row).document);
      if (!changed) return withoutEvents<UpdateResult<T>>({ stored: row && this.stored(row), changed: false });
      const { document, events = [] } = changed;
      if (document.id !== id) throw new Error(`a change of ${id} in ${this.name} gave a document with another id`);
      const json = this.jsonOf(document);
      const after = row ? this.replaceRow(document, json, row.version) : this.insertRow(document, json);
      return { result: { stored: after, changed: true }, events };
    });
  }

  private insertRow({ id, createdAt }: T, json: string): Stored<T> {
    this.run(`INSERT INTO $table (id, version, created_at, document, inbox) VALUES (?, 1, ?, ?, '${NO_INBOX}')`, id, createdAt, json);
    return this.written(json, 1);
  }

  /** The statement alone is undone when there is one already. */
  private isInserted(document: T, json: string): boolean {
    try {
      this.insertRow(document, json);
      return true;
    } catch (error) {
      if (isConstraintViolation(error)) return false;
      throw error;
    }
  }

  /** @returns undefined when there is no such version. */
  private replaceRow({ id, createdAt }: T, json: string, version: number): Stored<T> | undefined {
    const values = [json, createdAt, id, version] as const;
    // A time of creation hardly ever changes, and its index need not be written when it is not named.
    const replaced = this.run(`UPDATE $table SET ${REPLACEMENT} WHERE created_at = ? AND id = ? AND version = ?`, ...values);
    if (replaced === 0 && this.run(`UPDATE $table SET ${REPLACEMENT}, created_at = ? WHERE id = ? AND version = ?`, ...values) === 0) return undefined;
    return this.written(json, version + 1);
  }

  private jsonOf(document: T): string {
    return JSON.stringify(this.schema.toStored(document));
  }

  /** A copy of its own each time. */
  private stored({ document, version }: Row): Stored<T> {
    return { document: this.schema.fromStored(JSON.parse(document) as Document), version };
  }

  /** As `stored`, but parsed when it is looked at, as most callers of a write do not. */
  private written(json: string, version: number): Stored<T> {
    const { schema } = this;
    let document: T | undefined;
    return {
      get document() {
        return (document ??= schema.fromStored(JSON.parse(json) as Document));
      },
      version,
    };
  }

  private row(id: string): Row | undefined {
    return this.statement('SELECT version, document FROM $table WHERE id = ?').get(id) as Row | undefined;
  }

  private async write<R>(write: () => Written<R>, rows = 1, options?: InsertOptions): Promise<R> {
    try {
      return await this.outbox.commit(rows, write, options);
    } catch (error) {
      throw isConstraintViolation(error) ? duplicate(this.name, error) : error;
    }
  }

  private run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.statement(sql).run(...values).changes);
  }

  private rows(sql: string, ...values: SQLInputValue[]): Record<string, SQLOutputValue>[] {
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

/** A write without events. */
const withoutEvents = <R>(result: R): Written<R> => ({ result, events: [] });

/**
 * Adds the events if anything was written. A conflict is reported after the commit: thrown within it, it would undo the writes
 * of all that share the commit, and each would be repeated.
 */
const eventsIfChanged = <R>(result: R, events: readonly NewEvent[]): Written<R> => (result ? { result, events } : withoutEvents(result));

function orderValue(document: Document, path: string): string | number {
  const value = valueAt(document, path);
  return typeof value === 'boolean' ? Number(value) : (value as string | number);
}
