import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '@parlance/platform/sqlite';
import type { CollectionDefinition, Document, IndexDefinition } from '../document-collection.js';
import { isWildcard, isWordList } from '../field-paths.js';
import { expressionOf, literalOf } from './field-expressions.js';

/** A column that tables of earlier versions require to be set, and that nothing reads any more. */
export const NO_INBOX = '[]';

export const tableOf = (collection: string): string => `documents_${collection}`;

/** Creates the collection's table and makes its indexes those of the definition. */
export function declareCollection<T extends Document>(database: DatabaseSync, definition: CollectionDefinition<T>): void {
  const table = tableOf(definition.name);
  const wanted = new Map(definition.indexes.map((index) => indexStatement(table, index)).map((sql) => [indexName(table, sql), sql]));
  const before = indexesOf(database, table);
  if (before?.size === wanted.size && [...before].every((name) => wanted.has(name))) return;
  inTransaction(database, () => {
    // Another process may have declared it while this one waited.
    const existing = indexesOf(database, table);
    database.exec(`
      CREATE TABLE IF NOT EXISTS ${table} (
        id TEXT PRIMARY KEY,
        version INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        document TEXT NOT NULL,
        inbox TEXT NOT NULL
      ) STRICT;
      CREATE INDEX IF NOT EXISTS ${table}_in_time ON ${table} (created_at, id)`);
    for (const name of existing ?? []) if (!wanted.has(name)) database.exec(`DROP INDEX ${name}`);
    for (const [name, sql] of wanted) if (!existing?.has(name)) database.exec(sql.replace('INDEX', `INDEX ${name}`));
  });
}

function indexStatement(table: string, { fields, orderBy = 'createdAt', unique = false, only = {} }: IndexDefinition): string {
  const equal = fields.filter((path) => !isWildcard(path) && !isWordList(path)).map(expressionOf);
  if (unique) return `CREATE UNIQUE INDEX ON ${table} (${equal.join(', ')})`;
  const conditions = Object.entries(only).map(([path, value]) => `${expressionOf(path)} = ${literalOf(value)}`);
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
  return `CREATE INDEX ON ${table} (${[...equal, expressionOf(orderBy), 'id'].join(', ')})${where}`;
}

const indexName = (table: string, sql: string): string => `${table}_by_${createHash('sha256').update(sql).digest('hex').slice(0, 16)}`;

/** Names of the indexes that come from a definition; undefined without the table. */
function indexesOf(database: DatabaseSync, table: string): Set<string> | undefined {
  if (!database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table)) return undefined;
  const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?").all(table);
  return new Set(rows.map(({ name }) => String(name)).filter((name) => name.startsWith(`${table}_by_`)));
}
