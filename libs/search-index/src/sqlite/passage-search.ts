import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { parseQuery, type ParsedQuery } from '../analysis/parsed-query.js';
import { storedFilters, type CheckedQuery } from '../checked-input.js';
import { fuseRanks, RANK_WEIGHTS, RANK_WINDOW, type RankedList } from '../ranking/reciprocal-rank-fusion.js';
import { SearchCursor } from '../ranking/search-cursor.js';
import { searchHit, usableWays, type FoundPassage } from '../search-hits.js';
import type { SearchHit, SearchMode, SearchPage } from '../search-index.js';
import type { AccountVectors } from './account-vectors.js';
import { filterSql, type Condition } from './filter-sql.js';
import { allWordsExpression, someWordsExpression } from './match-expression.js';
import { tellingWords, Vocabulary } from './vocabulary.js';

/** Nearest passages of which most filters leave enough, before all that fit the filters are looked at. */
const UNFILTERED = 1000;

/**
 * Passages that are ranked, the newest, where more match: every word of the query is in thousands of them then, and ranking takes
 * a millisecond for 150.
 */
export const MOST_RANKED = 8000;

/** Reads of the file; each sees the last commit. */
export class PassageSearch {
  private readonly vocabulary: Vocabulary;
  private readonly isDeleted: StatementSync;
  private readonly passage: StatementSync;

  constructor(
    private readonly database: DatabaseSync,
    private readonly vectors: AccountVectors,
  ) {
    this.vocabulary = new Vocabulary(database);
    this.isDeleted = database.prepare('SELECT 1 FROM deleted_accounts WHERE account_id = ?');
    this.passage = database.prepare('SELECT j.job_id, j.created_at, p.* FROM jobs j JOIN passages p ON p.job = j.id WHERE j.account_id = ? AND j.job_id = ? AND p.passage_id = ?');
  }

  search(query: CheckedQuery): SearchPage {
    const cursor = SearchCursor.of(query as CheckedQuery & { embedding?: Float32Array });
    const parsed = parseQuery(query.text, query.phrase);
    const mode = usableWays(parsed, query.embedding !== undefined, query.mode);
    if (this.isDeleted.get(query.accountId)) return { hits: [], mode, nextCursor: null };
    const { ranked, nextCursor } = cursor.page(fuseRanks(this.lists(query, parsed, mode)), query.limit);
    return { hits: ranked.map(({ id, score }) => this.hit(query, parsed, id, score)), mode, nextCursor };
  }

  private lists(query: CheckedQuery, parsed: ParsedQuery, mode: SearchMode): RankedList[] {
    if (mode === 'vector') return [{ ids: this.byMeaning(query, parsed), weight: 1 }];
    const words = this.vocabulary.wordsFor(query.accountId, parsed.words, query.isFuzzy);
    const someWords = this.byWords(query, someWordsExpression(tellingWords(words), parsed.phrases));
    if (mode === 'lexical') return [{ ids: someWords, weight: 1 }];
    return [
      { ids: someWords, weight: RANK_WEIGHTS.someWords },
      { ids: this.byWords(query, allWordsExpression(words.map(({ variants }) => variants), parsed.phrases)), weight: RANK_WEIGHTS.allWords },
      { ids: this.byMeaning(query, parsed), weight: RANK_WEIGHTS.meaning },
    ];
  }

  private byWords({ accountId, filters }: CheckedQuery, match: string | undefined): string[] {
    if (match === undefined) return [];
    const { sql, values } = filterSql(accountId, storedFilters(filters), undefined);
    return this.keys(
      `SELECT job_id, passage_id FROM (
         SELECT j.job_id, p.passage_id, p.id, bm25(passage_terms) AS score FROM passage_terms t JOIN passages p ON p.id = t.rowid JOIN jobs j ON j.id = p.job
         WHERE passage_terms MATCH ? AND ${sql} ORDER BY t.rowid DESC LIMIT ${MOST_RANKED}
       ) ORDER BY score, id LIMIT ${RANK_WINDOW}`,
      [match, ...values],
    );
  }

  private byMeaning({ accountId, embedding, filters }: CheckedQuery, { phrases }: ParsedQuery): string[] {
    if (embedding === undefined) return [];
    const rows = this.vectors.of(accountId);
    const filter = filterSql(accountId, storedFilters(filters), someWordsExpression([], phrases));
    // Nothing but the account, whose these are.
    if (filter.values.length === 1) return this.keysOf(accountId, rows.nearest(embedding, RANK_WINDOW));
    const near = rows.nearest(embedding, UNFILTERED);
    const left = this.fitting(filter, near);
    if (near.length < UNFILTERED || left.size >= RANK_WINDOW) return this.keysOf(accountId, near.filter((id) => left.has(id)).slice(0, RANK_WINDOW));
    return this.keysOf(accountId, rows.nearest(embedding, RANK_WINDOW, this.fitting(filter)));
  }

  private fitting({ sql, values }: Condition, among?: readonly number[]): ReadonlySet<number> {
    const [and, ids] = among === undefined ? ['', []] : [' AND p.id IN (SELECT value FROM json_each(?))', [JSON.stringify(among)]];
    const rows = this.database.prepare(`SELECT p.id FROM jobs j JOIN passages p ON p.job = j.id WHERE ${sql}${and}`).iterate(...values, ...ids);
    return new Set(Array.from(rows, ({ id }) => id as number));
  }

  private keysOf(accountId: string, ids: readonly number[]): string[] {
    return this.keys(
      `SELECT j.job_id, p.passage_id FROM json_each(?) near JOIN passages p ON p.id = near.value JOIN jobs j ON j.id = p.job
       WHERE j.account_id = ? ORDER BY near.key`,
      [JSON.stringify(ids), accountId],
    );
  }

  private keys(sql: string, values: (string | number)[]): string[] {
    return this.database.prepare(sql).all(...values).map((row) => `${String(row['job_id'])}/${String(row['passage_id'])}`);
  }

  private hit({ accountId, isFuzzy }: CheckedQuery, parsed: ParsedQuery, key: string, score: number): SearchHit {
    const [jobId, passageId] = key.split('/') as [string, string];
    const row = this.passage.get(accountId, jobId, passageId) as unknown as PassageRow;
    return searchHit(foundPassage(row), score, parsed, isFuzzy);
  }
}

interface PassageRow {
  job_id: string;
  created_at: string;
  passage_id: string;
  language: string;
  speaker_id: string | null;
  speaker_name: string | null;
  start_time: number;
  end_time: number;
  times: string;
  text: string;
}

const foundPassage = (row: PassageRow): FoundPassage => ({
  jobId: row.job_id,
  passageId: row.passage_id,
  language: row.language,
  ...(row.speaker_id !== null && { speaker: { id: row.speaker_id, ...(row.speaker_name !== null && { name: row.speaker_name }) } }),
  start: row.start_time,
  end: row.end_time,
  text: row.text,
  times: JSON.parse(row.times) as FoundPassage['times'],
  createdAt: row.created_at,
});
