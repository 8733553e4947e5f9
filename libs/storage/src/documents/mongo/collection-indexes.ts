import type { CollectionDefinition, Document } from '../document-collection.js';
import { isWildcard, isWordList, wildcardParent, wordListField } from '../field-paths.js';

interface MongoIndex {
  name: string;
  key: Record<string, 1>;
  unique?: true;
  sparse?: true;
  partialFilterExpression?: Record<string, unknown>;
  expireAfterSeconds?: number;
}

/** The prefix of the names of our indexes, so that an operator's own indexes are kept. */
const OURS = 'parlance_';

export const isOurs = (index: string): boolean => index.startsWith(OURS);

/**
 * The collection's indexes. Each is equality first, then the order, then the id, so that it finds a page without sorting.
 * A wildcard is an array of attributes: a compound wildcard index needs MongoDB 7, and gives no order.
 */
export function collectionIndexes<T extends Document>({ name, indexes, expires }: CollectionDefinition<T>): MongoIndex[] {
  const all = [
    orderIndex([], 'createdAt'),
    ...indexes.map(({ fields, orderBy = 'createdAt', only }) => {
      if (fields.filter(isWildcard).length > 1) throw new Error(`an index of ${name} has two wildcards`);
      return only ? partialIndex(orderIndex(fields, orderBy), only) : orderIndex(fields, orderBy);
    }),
    ...indexes.filter(({ unique }) => unique).map(({ fields }) => uniqueIndex(fields)),
    OUTBOX_INDEX,
    ...(expires ? [EXPIRY_INDEX] : []),
  ];
  return [...new Map(all.map((index) => [index.name, index])).values()];
}

/** Only records with events to relay are in it: as good as empty while the relay keeps up. */
const OUTBOX_INDEX: MongoIndex = {
  name: `${OURS}outbox`,
  key: { pendingSince: 1, _id: 1 },
  partialFilterExpression: { pending: true },
};

/** The server removes nothing that still has events. */
const EXPIRY_INDEX: MongoIndex = {
  name: `${OURS}expiry`,
  key: { expiresAt: 1 },
  expireAfterSeconds: 0,
  partialFilterExpression: { pending: false },
};

function orderIndex(fields: readonly string[], orderBy: string): MongoIndex {
  return { name: `${OURS}${[...fields, 'by', orderBy].join('_')}`, key: keyOf([...fields.map(recordPath), recordPath(orderBy), '_id']) };
}

function partialIndex(index: MongoIndex, only: Readonly<Record<string, string>>): MongoIndex {
  const conditions = Object.entries(only);
  const name = [index.name, 'only', ...conditions.flat()].join('_');
  return { ...index, name, partialFilterExpression: Object.fromEntries(conditions.map(([path, value]) => [recordPath(path), value])) };
}

/** Over one field with all the values, which records have that have them all: others do not clash. */
function uniqueIndex(fields: readonly string[]): MongoIndex {
  return { name: `${OURS}${['unique', ...fields].join('_')}`, key: keyOf([`unique.${uniqueName(fields)}`]), unique: true, sparse: true };
}

const keyOf = (paths: readonly string[]): Record<string, 1> => Object.fromEntries(paths.map((path) => [path, 1]));

/** The place in a record of a path of the definition. */
export function recordPath(path: string): string {
  if (path === 'id') return '_id';
  if (isWildcard(path)) return `attributes.${attributeName(wildcardParent(path))}`;
  return `document.${isWordList(path) ? wordListField(path) : path}`;
}

/** The field below `unique` for an index over the fields. */
export const uniqueName = (fields: readonly string[]): string => fields.join('_').replaceAll('.', '/');

/** The field below `attributes` for a wildcard's parent. */
export const attributeName = (parent: string): string => parent.replaceAll('.', '/');
