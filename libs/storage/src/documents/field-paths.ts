import type { CollectionDefinition, Document } from './document-collection.js';

/** The paths that a definition allows queries to filter and order by. */
export interface FieldPaths {
  /** Equality on the path. */
  isFilter(path: string): boolean;
  /** @throws Error when no index has that order */
  requireOrder(path: string): void;
  /** An index has documents with that value alone. */
  isOnly(path: string, value: string | number | boolean): boolean;
  /** The list of words that the path filters by their beginnings: `words` for `words[]`. */
  wordListOf(path: string): string | undefined;
  /** The object that the path names any key of: `metadata` for `metadata.<key>`, when the definition has `metadata.*`. */
  wildcardOf(path: string): { parent: string; key: string } | undefined;
}

const PATH = /^[A-Za-z][A-Za-z0-9]*(\.[A-Za-z][A-Za-z0-9]*)*$/;

export const isWildcard = (path: string): boolean => path.endsWith('.*');
/** `words[]`: a list of words, of which each of the given beginnings, separated by spaces, begins one. */
export const isWordList = (path: string): boolean => path.endsWith('[]');
export const wordListField = (path: string): string => path.slice(0, -2);

/** The least word that begins with the text, and the least one after all that do. */
export const wordBounds = (beginnings: string): { from: string; to: string }[] =>
  beginnings.split(' ').filter((word) => word !== '').map((word) => ({ from: word, to: `${word}\u{10ffff}` }));

export const wildcardParent = (path: string): string => path.slice(0, -2);

/** @throws Error when a path of the definition is not one. */
export function fieldPaths<T extends Document>({ name, indexes }: CollectionDefinition<T>): FieldPaths {
  const filters = new Set(['id', 'createdAt']);
  const orders = new Set(['createdAt']);
  const wildcards = new Set<string>();
  const wordLists = new Set<string>();
  const only = indexes.flatMap((index) => Object.entries(index.only ?? {}));
  for (const { fields, orderBy } of indexes) {
    for (const path of fields) {
      if (isWildcard(path)) wildcards.add(wildcardParent(path));
      else if (isWordList(path)) wordLists.add(wordListField(path));
      else filters.add(path);
    }
    if (orderBy !== undefined) orders.add(orderBy);
  }
  for (const [path] of only) filters.add(path);
  for (const path of [...filters, ...orders, ...wildcards, ...wordLists]) {
    if (!PATH.test(path)) throw new Error(`${path} in the indexes of ${name} is not a path`);
  }
  return {
    isFilter: (path) => filters.has(path),
    requireOrder: (path) => {
      if (!orders.has(path)) throw new Error(`no index of ${name} is ordered by ${path}`);
    },
    isOnly: (path, value) => only.some(([ofIndex, onlyValue]) => ofIndex === path && onlyValue === value),
    wordListOf: (path) => (isWordList(path) && wordLists.has(wordListField(path)) ? wordListField(path) : undefined),
    wildcardOf: (path) => {
      const parent = [...wildcards].find((candidate) => path.startsWith(`${candidate}.`) && path.length > candidate.length + 1);
      return parent === undefined ? undefined : { parent, key: path.slice(parent.length + 1) };
    },
  };
}

/** The value at the path; undefined when the document has none. */
export function valueAt(document: Document, path: string): unknown {
  let value: unknown = document;
  for (const name of path.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return value;
}
