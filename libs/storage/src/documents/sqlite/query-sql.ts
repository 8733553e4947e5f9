import type { SQLInputValue } from 'node:sqlite';
import type { Query } from '../document-collection.js';
import { wordBounds, type FieldPaths } from '../field-paths.js';
import { decodeCursor, type CursorOrder } from '../page-cursor.js';
import { expressionOf, literalOf } from './field-expressions.js';

interface Sql {
  text: string;
  values: SQLInputValue[];
}

type Where = NonNullable<Query['where']>;

/** The equalities as a condition; `TRUE` without any. @throws Error when no index of the definition has the path. */
export function whereSql(where: Where | undefined, paths: FieldPaths, collection: string): Sql {
  const conditions: Sql[] = [];
  for (const [path, value] of Object.entries(where ?? {})) {
    if (value !== undefined) conditions.push(equalitySql(path, typeof value === 'boolean' ? Number(value) : value, paths, collection));
  }
  return allOf(conditions);
}

function equalitySql(path: string, value: string | number, paths: FieldPaths, collection: string): Sql {
  if (typeof value === 'string' && paths.isOnly(path, value)) return { text: `${expressionOf(path)} = ${literalOf(value)}`, values: [] };
  if (paths.isFilter(path)) return { text: `${expressionOf(path)} = ?`, values: [value] };
  const list = paths.wordListOf(path);
  if (list !== undefined) return allOf(wordBounds(String(value)).map(({ from, to }) => wordSql(list, from, to)));
  const wildcard = paths.wildcardOf(path);
  if (!wildcard) throw new Error(`no index of ${collection} has ${path}`);
  // json_each, since a JSON path cannot name every key.
  return {
    text: `EXISTS (SELECT 1 FROM json_each(document, '$.${wildcard.parent}') AS item WHERE item.key = ? AND item.value = ?)`,
    values: [wildcard.key, value],
  };
}

const wordSql = (list: string, from: string, to: string): Sql => ({
  text: `EXISTS (SELECT 1 FROM json_each(document, '$.${list}') AS item WHERE item.value >= ? AND item.value < ?)`,
  values: [from, to],
});

interface PageSql extends Sql {
  /** The order that the cursor of the next page is made with. */
  order: CursorOrder;
}

/** The query as a condition with its order and a limit of one more than requested, which shows whether there is a next page. */
export function pageSql(query: Query, limit: number, paths: FieldPaths, collection: string): PageSql {
  const { orderBy = 'createdAt', direction = 'descending', range, cursor } = query;
  for (const path of range ? [orderBy, range.field] : [orderBy]) paths.requireOrder(path);
  const order: CursorOrder = { collection, orderBy, direction };
  const expression = expressionOf(orderBy);
  const conditions = [whereSql(query.where, paths, collection)];
  if (orderBy !== 'createdAt') conditions.push({ text: `${expression} IS NOT NULL`, values: [] });
  if (range?.gte !== undefined) conditions.push({ text: `${expressionOf(range.field)} >= ?`, values: [range.gte] });
  if (range?.lt !== undefined) conditions.push({ text: `${expressionOf(range.field)} < ?`, values: [range.lt] });
  if (cursor !== undefined) {
    const { value, id } = decodeCursor(cursor, order);
    const past = direction === 'ascending' ? '>' : '<';
    // The first half says nothing new; it lets an index on an expression begin there.
    conditions.push({ text: `${expression} ${past}= ? AND (${expression}, id) ${past} (?, ?)`, values: [value, value, id] });
  }
  const { text, values } = allOf(conditions);
  const by = direction === 'ascending' ? 'ASC' : 'DESC';
  return { text: `${text} ORDER BY ${expression} ${by}, id ${by} LIMIT ?`, values: [...values, limit + 1], order };
}

function allOf(conditions: readonly Sql[]): Sql {
  const real = conditions.filter(({ text }) => text !== 'TRUE');
  if (real.length === 0) return { text: 'TRUE', values: [] };
  return { text: real.map(({ text }) => text).join(' AND '), values: real.flatMap(({ values }) => values) };
}
