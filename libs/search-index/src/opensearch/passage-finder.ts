import type { Logger } from '@parlance/platform';
import { parseQuery, type ParsedQuery } from '../analysis/parsed-query.js';
import { storedFilters, type CheckedQuery } from '../checked-input.js';
import { fuseRanks, RANK_WEIGHTS, RANK_WINDOW, type Ranked } from '../ranking/reciprocal-rank-fusion.js';
import { SearchCursor } from '../ranking/search-cursor.js';
import { searchHit, usableWays } from '../search-hits.js';
import type { SearchMode, SearchPage } from '../search-index.js';
import { serverError } from './opensearch-errors.js';
import { SEARCHING, type OpenSearchServer } from './opensearch-server.js';
import { foundPassage, type PassageDocument } from './passage-document.js';
import { allWordsQuery, filterQueries, hybridRequest, lexicalQuery, phraseQueries, vectorQuery, type WeightedQuery } from './search-request.js';

interface Answer {
  hits: { hits: { _id: string; _score: number; _source?: PassageDocument }[] };
}

interface Found {
  ranked: Ranked[];
  documents: Map<string, PassageDocument>;
}

const SOURCE = { excludes: ['embedding', 'terms'] };

/** Searches in the index behind an alias. */
export class PassageFinder {
  private serverFuses = true;

  /** @param shards of the index: of several, each ranks for itself, which is then done for all of them */
  constructor(
    private readonly server: OpenSearchServer,
    private readonly alias: string,
    private readonly log: Logger,
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
    if (allWords) {
      const { someWords, allWords: all, meaning } = RANK_WEIGHTS;
      return this.hybrid([{ query: lexical, weight: someWords }, { query: allWords, weight: all }, { query: vector, weight: meaning }], size);
    }
    const query = lexical ?? vector;
    if (!query) return { ranked: [], documents: new Map() };
    const found = await this.ask({ query, size, _source: SOURCE }, await this.searchType());
    return { ...found, ranked: fuseRanks([{ ids: found.ranked.map(({ id }) => id), weight: 1 }]) };
  }

  private async hybrid(queries: readonly WeightedQuery[], size: number): Promise<Found> {
    const searchType = await this.searchType();
    // Of several shards, the server fuses the ranks in each.
    if (this.serverFuses && searchType === undefined) {
      try {
        return await this.ask({ ...hybridRequest(queries), size, _source: SOURCE });
      } catch (error) {
        if (!isUnknownToServer(error)) throw error;
        this.serverFuses = false;
        this.log.info('the search server cannot fuse ranks; they are fused here');
      }
    }
    return this.fusedHere(queries, searchType);
  }

  private async fusedHere(queries: readonly WeightedQuery[], searchType: string | undefined): Promise<Found> {
    const lines = queries.flatMap(({ query }) => [searchType === undefined ? {} : { search_type: searchType }, { query, size: RANK_WINDOW, _source: false }]);
    const { responses } = await this.server.call<{ responses: (Answer & { error?: object; status: number })[] }>({ method: 'POST', path: `/${this.alias}/_msearch`, lines }, SEARCHING);
    const failed = responses.find(({ error }) => error);
    if (failed) throw Object.assign(new Error('a search of several failed'), { statusCode: failed.status, body: failed });
    return { ranked: fuseRanks(responses.map(({ hits }, index) => ({ ids: hits.hits.map(({ _id }) => keyOf(_id)), weight: queries[index]?.weight ?? 1 }))), documents: new Map() };
  }

  /** Several shards are asked first how rare each word is in them all; undefined of one, which knows. */
  private async searchType(): Promise<string | undefined> {
    return (await this.shards()) === 1 ? undefined : 'dfs_query_then_fetch';
  }

  private async ask(body: object, searchType?: string): Promise<Found> {
    const { hits } = await this.server.call<Answer>({ method: 'POST', path: `/${this.alias}/_search`, query: { track_total_hits: false, ...(searchType !== undefined && { search_type: searchType }) }, body }, SEARCHING);
    const documents = new Map(hits.hits.flatMap(({ _id, _source }) => (_source ? [[keyOf(_id), _source] as const] : [])));
    return { ranked: hits.hits.map(({ _id, _score }) => ({ id: keyOf(_id), score: _score })), documents };
  }

  private async documents(accountId: string, keys: readonly string[]): Promise<Map<string, PassageDocument>> {
    const docs = keys.map((key) => ({ _id: `${accountId}/${key}`, _source: { exclude: SOURCE.excludes } }));
    const answer = await this.server.call<{ docs: { _id: string; _source?: PassageDocument }[] }>({ method: 'POST', path: `/${this.alias}/_mget`, body: { docs } }, SEARCHING);
    return new Map(answer.docs.flatMap(({ _id, _source }) => (_source ? [[keyOf(_id), _source] as const] : [])));
  }
}

/** Of a passage within its account: its id without the account's. */
const keyOf = (id: string): string => id.slice(id.indexOf('/') + 1);

/** It lacks the plugin, or is older than OpenSearch 2.19, with which the processor came. */
function isUnknownToServer(thrown: unknown): boolean {
  const { reason = '' } = serverError(thrown);
  return /hybrid|processor/i.test(reason) && /unknown|invalid|support/i.test(reason);
}
