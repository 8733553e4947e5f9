/** A text of a definition, never a caller's, as SQL has it: SQLite finds a partial index only by what stands in the query. */
export const literalOf = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The SQL expression of a path; an index on the same expression serves it. */
export function expressionOf(path: string): string {
  if (path === 'id') return 'id';
  if (path === 'createdAt') return 'created_at';
  return `json_extract(document, '$.${path}')`;
}
