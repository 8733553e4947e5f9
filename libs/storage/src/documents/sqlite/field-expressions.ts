/** The SQL expression of a path; an index on the same expression serves it. */
export function expressionOf(path: string): string {
  if (path === 'id') return 'id';
  if (path === 'createdAt') return 'created_at';
  return `json_extract(document, '$.${path}')`;
}
