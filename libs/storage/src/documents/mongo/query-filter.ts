import type { Query } from '../document-collection.js';
import { wordBounds, type FieldPaths } from '../field-paths.js';
import { decodeCursor, type CursorOrder } from '../page-cursor.js';
import { recordPath } from './collection-indexes.js';
import { attributeText } from './document-record.js';

type Where = NonNullable<Query['where']>;
/** A MongoDB query. Values of callers stand behind operators only, so that none of them is read as one. */
export type Filter = { $and: Record<string, unknown>[] };

/** Holds for documents, not for what is left of removed ones; and begins where they begin in the indexes in time. */
const IS_DOCUMENT = { [recordPath('createdAt')]: { $gte: '' } };

/** The equalities. @throws Error when no index of the definition has the path. */
export function whereFilter(where: Where | undefined, paths: FieldPaths, collection: string): Filter {
  const conditions = Object.entries(where ?? {}).flatMap(([path, value]) => (value === undefined ? [] : conditionsOf(path, value, paths, collection)));
  return { $and: [...conditions, IS_DOCUMENT] };
}

function conditionsOf(path: string, value: string | number | boolean, paths: FieldPaths, collection: string): Record<string, unknown>[] {
  if (paths.wordListOf(path) === undefined) return [equality(path, value, paths, collection)];
  return wordBounds(String(value)).map(({ from, to }) => ({ [recordPath(path)]: { $elemMatch: { $gte: from, $lt: to } } }));
}

function equality(path: string, value: string | number | boolean, paths: FieldPaths, collection: string): Record<string, unknown> {
  if (paths.isFilter(path)) return { [recordPath(path)]: { $eq: value } };
  const wildcard = paths.wildcardOf(path);
  if (!wildcard) throw new Error(`no index of ${collection} has ${path}`);
  return { [recordPath(`${wildcard.parent}.*`)]: { $eq: attributeText(wildcard.key, value) } };
}

interface PageFilter {
  filter: Filter;
  sort: Record<string, 1 | -1>;
  /** The order that the cursor of the next page is made with. */
  order: CursorOrder;
}

export function pageFilter(query: Query, paths: FieldPaths, collection: string): PageFilter {
  const { orderBy = 'createdAt', direction = 'descending', range, cursor } = query;
  for (const path of range ? [orderBy, range.field] : [orderBy]) paths.requireOrder(path);
  const order: CursorOrder = { collection, orderBy, direction };
  const by = recordPath(orderBy);
  const { $and } = whereFilter(query.where, paths, collection);
  if (orderBy !== 'createdAt') $and.push({ [by]: { $ne: null } });
  if (range?.gte !== undefined) $and.push({ [recordPath(range.field)]: { $gte: range.gte } });
  if (range?.lt !== undefined) $and.push({ [recordPath(range.field)]: { $lt: range.lt } });
  if (cursor !== undefined) {
    const { value, id } = decodeCursor(cursor, order);
    const past = direction === 'ascending' ? '$gt' : '$lt';
    // The first says nothing new; it lets the index begin there.
    $and.push({ [by]: { [`${past}e`]: value } }, { $or: [{ [by]: { [past]: value } }, { [by]: { $eq: value }, _id: { [past]: id } }] });
  }
  const sign = direction === 'ascending' ? 1 : -1;
  return { filter: { $and }, sort: { [by]: sign, _id: sign }, order };
}
