import type { StoredFilters } from '../checked-input.js';

export interface Condition {
  sql: string;
  values: (string | number)[];
}

/** The conditions on passages `p` of jobs `j`: the account first, whatever the rest is. */
export function filterSql(accountId: string, filters: StoredFilters, phrases: string | undefined): Condition {
  const conditions: Condition[] = [
    { sql: 'j.account_id = ?', values: [accountId] },
    ...anyOf(filters.jobIds, 'j.job_id IN (SELECT value FROM json_each(?))'),
    ...anyOf(
      filters.languages,
      "EXISTS (SELECT 1 FROM json_each(?) WHERE lower(p.language) = value OR substr(lower(p.language), 1, length(value) + 1) = value || '-')",
    ),
    ...anyOf(filters.speakers, 'EXISTS (SELECT 1 FROM json_each(?) WHERE value IN (p.speaker_id_key, p.speaker_name_key))'),
    ...value(filters.createdFrom, 'j.created_at >= ?'),
    ...value(filters.createdBefore, 'j.created_at < ?'),
    ...value(filters.minDuration, 'j.duration >= ?'),
    ...value(filters.maxDuration, 'j.duration <= ?'),
    ...filters.metadata.flatMap((key) => value(key, 'EXISTS (SELECT 1 FROM json_each(j.metadata) WHERE value = ?)')),
    ...value(phrases, 'p.id IN (SELECT rowid FROM passage_terms WHERE passage_terms MATCH ?)'),
  ];
  return { sql: conditions.map(({ sql }) => sql).join(' AND '), values: conditions.flatMap(({ values }) => values) };
}

const anyOf = (list: readonly string[] | undefined, sql: string): Condition[] => (list === undefined ? [] : [{ sql, values: [JSON.stringify(list)] }]);
const value = (one: string | number | undefined, sql: string): Condition[] => (one === undefined ? [] : [{ sql, values: [one] }]);
