import { parseQuery, type ParsedQuery } from '../analysis/parsed-query.js';
import { storedFilters, type CheckedQuery } from '../checked-input.js';
import { RANK_WINDOW, rankHybrid, rankList, type Ranked } from '../ranking/hybrid-ranking.js';
import { SearchCursor } from '../ranking/search-cursor.js';
import { searchHit, usableWays } from '../search-hits.js';
import type { SearchMode, SearchPage } from '../search-index.js';
import { SEARCHING, type OpenSearchServer } from './opensearch-server.js';
import { foundPassage, type PassageDocument } from './passage-document.js';
import { allWordsQuery, filterQueries, lexicalQuery, markWords, phraseQueries, vectorQuery, wordsOfHits, type MarkedHit } from './search-request.js';

interface Answer {
  hits: { hits: (MarkedHit & { _id: string; _score: number; _source?: PassageDocument })[] };
}

interface Found {
  ranked: Ranked[];
  documents: Map<string, PassageDocument>;
}

const SOURCE = { excludes: ['embedding', 'terms'] };

/** Searches in the index behind an alias. */
export class PassageFinder {
  /** @param shards of the index: several are asked for their word statistics before they rank */
  constructor(
    private readonly server: OpenSearchServer,
    private readonly alias: string,
    private readonly shards: () => Promise<number>,
  ) {}

  async search(query: CheckedQuery): Promise<SearchPage> {
    const cursor = SearchCursor.of(query as CheckedQuery & { embedding?: Float32Array });
    const parsed = parseQuery(query.text, query.phrase);
    const mode = usableWays(parsed, query.embedding !== undefined, query.mode);
    const { ranked, documents } = await this.find(query, parsed, mode, cursor.wanted(query.limit));
    const page = cursor.page(ranked, query.limit);
    const missing = page.ranked.filter(({ id }) => !documents.has(id)).map(({ id }) => id);
    const all = missing.length === 0 ? documents : await this.documents(query.accountId, missing);
    const hits = page.ranked.flatMap(({ id, score }) => {
      const document = all.get(id);
      // Deleted since it was found.
      return document === undefined ? [] : [searchHit(foundPassage(document), score, parsed, query.isFuzzy)];
    });
    return { hits, mode, nextCursor: page.nextCursor };
  }

  private async find({ accountId, embedding, filters, isFuzzy }: CheckedQuery, parsed: ParsedQuery, mode: SearchMode, size: number): Promise<Found> {
    const filter = filterQueries(accountId, storedFilters(filters));
    const lexical = mode === 'vector' ? undefined : lexicalQuery(parsed, isFuzzy, filter);
    const vector = mode === 'lexical' || !embedding ? undefined : vectorQuery(embedding, [...filter, ...phraseQueries(parsed)]);
    const allWords = lexical && vector && allWordsQuery(parsed, isFuzzy, filter);
    if (allWords) return this.hybrid([allWords, lexical, vector].map((query) => markWords(query, parsed.words, isFuzzy)), parsed.words.length);
    const query = lexical ?? vector;
    if (!query) return { ranked: [], documents: new Map() };
    const found = await this.ask({ query, size, _source: SOURCE }, await this.searchType());
    return { ...found, ranked: rankList(found.ids) };
  }

  /** @param queries by words, and by meaning the last one @param words how many the query has */
  private async hybrid(queries: readonly object[], words: number): Promise<Found> {
    const searchType = await this.searchType();
    const lines = queries.flatMap((query) => [searchType === undefined ? {} : { search_type: searchType }, { query, size: RANK_WINDOW, _source: false }]);
    const { responses } = await this.server.call<{ responses: (Answer & { error?: object; status: number })[] }>({ method: 'POST', path: `/${this.alias}/_msearch`, lines }, SEARCHING);
    const failed = responses.find(({ error }) => error);
    if (failed) throw Object.assign(new Error('a search of several failed'), { statusCode: failed.status, body: failed });
    const similarities = new Map(responses.at(-1)?.hits.hits.map(({ _id, _score }) => [_id, _score]));
    const hits = new Map<string, MarkedHit>(responses.flatMap((response) => response.hits.hits.map(({ _id, ...hit }) => [_id, hit])));
    const wordsOf = wordsOfHits([...hits.values()], words);
    const candidates = Array.from(hits.keys(), (id, index) => ({ id: keyOf(id), similarity: similarities.get(id), words: wordsOf[index] ?? [] }));
    return { ranked: rankHybrid(candidates), documents: new Map() };
  }

  /** Several shards are asked first how rare each word is in them all; undefined of one, which knows. */
  private async searchType(): Promise<string | undefined> {
    return (await this.shards()) === 1 ? undefined : 'dfs_query_then_fetch';
  }

  private async ask(body: object, searchType?: string): Promise<{ ids: string[]; documents: Found['documents'] }> {
    const { hits } = await this.server.call<Answer>({ method: 'POST', path: `/${this.alias}/_search`, query: { track_total_hits: false, ...(searchType !== undefined && { search_type: searchType }) }, body }, SEARCHING);
    const documents = new Map(hits.hits.flatMap(({ _id, _source }) => (_source ? [[keyOf(_id), _source] as const] : [])));
    return { ids: hits.hits.map(({ _id }) => keyOf(_id)), documents };
  }

  private async documents(accountId: string, keys: readonly string[]): Promise<Map<string, PassageDocument>> {
    const docs = keys.map((key) => ({ _id: `${accountId}/${key}`, _source: { exclude: SOURCE.excludes } }));
    const answer = await this.server.call<{ docs: { _id: string; _source?: PassageDocument }[] }>({ method: 'POST', path: `/${this.alias}/_mget`, body: { docs } }, SEARCHING);
    return new Map(answer.docs.flatMap(({ _id, _source }) => (_source ? [[keyOf(_id), _source] as const] : [])));
  }
}

/** The key of a passage within its account: its id without the account's. */
const keyOf = (id: string): string => id.slice(id.indexOf('/') + 1);
