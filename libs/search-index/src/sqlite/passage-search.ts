import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { parseQuery, type ParsedQuery } from '../analysis/parsed-query.js';
import { storedFilters, type CheckedQuery } from '../checked-input.js';
import { RANK_WINDOW, rankHybrid, rankList, type Ranked } from '../ranking/hybrid-ranking.js';
import { SearchCursor } from '../ranking/search-cursor.js';
import { searchHit, usableWays, type FoundPassage } from '../search-hits.js';
import type { SearchHit, SearchMode, SearchPage } from '../search-index.js';
import type { AccountVectors } from './account-vectors.js';
import { filterSql, type Condition } from './filter-sql.js';
import { allWordsExpression, someWordsExpression } from './match-expression.js';
import type { Near } from './vector-rows.js';
import { tellingWords, Vocabulary, type SoughtWord } from './vocabulary.js';

/** Nearest passages of which most filters leave enough, before all that fit the filters are looked at. */
const UNFILTERED = 1000;

/**
 * Passages that are ranked, the newest, where more match: every word of the query is in thousands of them then, and ranking takes
 * a millisecond for 150.
 */
export const MAX_RANKED = 8000;

/** Reads of the file; each sees the last commit. */
export class PassageSearch {
  private readonly vocabulary: Vocabulary;
  private readonly isDeleted: StatementSync;
  private readonly passage: StatementSync;
  private readonly termsOf: StatementSync;

  constructor(
    private readonly database: DatabaseSync,
    private readonly vectors: AccountVectors,
  ) {
    this.vocabulary = new Vocabulary(database);
    this.isDeleted = database.prepare('SELECT 1 FROM deleted_accounts WHERE account_id = ?');
    this.passage = database.prepare('SELECT j.job_id, j.created_at, p.* FROM jobs j JOIN passages p ON p.job = j.id WHERE j.account_id = ? AND j.job_id = ? AND p.passage_id = ?');
    this.termsOf = database.prepare(
      `SELECT p.id, j.job_id || '/' || p.passage_id AS key, t.terms FROM json_each(?) found
       CROSS JOIN passages p ON p.id = found.value JOIN jobs j ON j.id = p.job JOIN passage_terms t ON t.rowid = p.id WHERE j.account_id = ? ORDER BY found.key`,
    );
  }

  search(query: CheckedQuery): SearchPage {
    const cursor = SearchCursor.of(query as CheckedQuery & { embedding?: Float32Array });
    const parsed = parseQuery(query.text, query.phrase);
    const mode = usableWays(parsed, query.embedding !== undefined, query.mode);
    if (this.isDeleted.get(query.accountId)) return { hits: [], mode, nextCursor: null };
    const { ranked, nextCursor } = cursor.page(this.ranked(query, parsed, mode), query.limit);
    return { hits: ranked.map(({ id, score }) => this.hit(query, parsed, id, score)), mode, nextCursor };
  }

  private ranked(query: CheckedQuery, parsed: ParsedQuery, mode: SearchMode): Ranked[] {
    if (mode === 'vector') return rankList(this.keysOf(query.accountId, this.byMeaning(query, parsed).map(({ id }) => id)));
    const words = this.vocabulary.wordsFor(query.accountId, parsed.words, query.isFuzzy);
    const someWords = this.byWords(query, someWordsExpression(tellingWords(words), parsed.phrases));
    if (mode === 'lexical') return rankList(this.keysOf(query.accountId, someWords));
    const allWords = this.byWords(query, allWordsExpression(words.map(({ variants }) => variants), parsed.phrases));
    return this.hybrid(query.accountId, [...allWords, ...someWords], this.byMeaning(query, parsed), words);
  }

  private hybrid(accountId: string, byWords: readonly number[], byMeaning: readonly Near[], words: readonly SoughtWord[]): Ranked[] {
    const similarities = new Map(byMeaning.map(({ id, score }) => [id, score]));
    const ids = [...new Set([...byWords, ...similarities.keys()])];
    const candidates = this.passages(accountId, ids).map(({ id, key, terms }) => ({ id: key, similarity: similarities.get(id), words: words.map((word) => hasWord(` ${terms} `, word)) }));
    return rankHybrid(candidates);
  }

  private byWords({ accountId, filters }: CheckedQuery, match: string | undefined): number[] {
    if (match === undefined) return [];
    const { sql, values } = filterSql(accountId, storedFilters(filters), undefined);
    return this.ids(
      `SELECT id FROM (
         SELECT p.id, bm25(passage_terms) AS score FROM passage_terms t JOIN passages p ON p.id = t.rowid JOIN jobs j ON j.id = p.job
         WHERE passage_terms MATCH ? AND ${sql} ORDER BY t.rowid DESC LIMIT ${MAX_RANKED}
       ) ORDER BY score, id LIMIT ${RANK_WINDOW}`,
      [match, ...values],
    );
  }

  private byMeaning({ accountId, embedding, filters }: CheckedQuery, { phrases }: ParsedQuery): readonly Near[] {
    if (embedding === undefined) return [];
    const rows = this.vectors.of(accountId);
    const filter = filterSql(accountId, storedFilters(filters), someWordsExpression([], phrases));
    // Nothing but the account, whose these are.
    if (filter.values.length === 1) return rows.nearest(embedding, RANK_WINDOW);
    const near = rows.nearest(embedding, UNFILTERED);
    const left = this.fitting(filter, near.map(({ id }) => id));
    if (near.length < UNFILTERED || left.size >= RANK_WINDOW) return near.filter(({ id }) => left.has(id)).slice(0, RANK_WINDOW);
    return rows.nearest(embedding, RANK_WINDOW, this.fitting(filter));
  }

  private fitting({ sql, values }: Condition, among?: readonly number[]): ReadonlySet<number> {
    const [and, ids] = among === undefined ? ['', []] : [' AND p.id IN (SELECT value FROM json_each(?))', [JSON.stringify(among)]];
    const rows = this.database.prepare(`SELECT p.id FROM jobs j JOIN passages p ON p.job = j.id WHERE ${sql}${and}`).iterate(...values, ...ids);
    return new Set(Array.from(rows, ({ id }) => id as number));
  }

  private ids(sql: string, values: (string | number)[]): number[] {
    return this.database.prepare(sql).all(...values).map(({ id }) => id as number);
  }

  private keysOf(accountId: string, ids: readonly number[]): string[] {
    return this.passages(accountId, ids).map(({ key }) => key);
  }

  /** In the order of the ids. */
  private passages(accountId: string, ids: readonly number[]): TermsRow[] {
    return this.termsOf.all(JSON.stringify(ids), accountId) as unknown as TermsRow[];
  }

  private hit({ accountId, isFuzzy }: CheckedQuery, parsed: ParsedQuery, key: string, score: number): SearchHit {
    const [jobId, passageId] = key.split('/') as [string, string];
    const row = this.passage.get(accountId, jobId, passageId) as unknown as PassageRow;
    return searchHit(foundPassage(row), score, parsed, isFuzzy);
  }
}

interface TermsRow {
  id: number;
  key: string;
  /** With spaces between. */
  terms: string;
}

/** @param terms with a space before and after each */
const hasWord = (terms: string, { variants }: SoughtWord): boolean =>
  variants.some(({ terms: [term = ''], isPrefix }) => terms.includes(isPrefix ? ` ${term}` : ` ${term} `));

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
