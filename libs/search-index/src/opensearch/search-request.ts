import { allowedEdits, FUZZINESS, SURE_LETTERS } from '../analysis/fuzziness.js';
import type { ParsedQuery, TermSequence } from '../analysis/parsed-query.js';
import type { StoredFilters } from '../checked-input.js';
import { RANK_CONSTANT, RANK_WINDOW } from '../ranking/reciprocal-rank-fusion.js';

/** What may be meant counts less than what is written. */
const FUZZY_BOOST = 0.3;
const MAX_VARIANTS = 20;
/** Ends of a phrase whose last character may go on. */
const MAX_ENDINGS = 200;

type Query = Record<string, unknown>;

/** What every sub-query is narrowed by; the account first, whatever the rest is. */
export function filterQueries(accountId: string, filters: StoredFilters): Query[] {
  return [
    { term: { accountId } },
    ...anyOf('jobId', filters.jobIds),
    ...(filters.languages === undefined ? [] : [{ bool: { should: filters.languages.flatMap((tag) => [{ term: { languageKey: tag } }, { prefix: { languageKey: `${tag}-` } }]), minimum_should_match: 1 } }]),
    ...anyOf('speakerKeys', filters.speakers),
    ...range('createdAt', { gte: filters.createdFrom, lt: filters.createdBefore }),
    ...range('duration', { gte: filters.minDuration, lte: filters.maxDuration }),
    ...filters.metadata.map((key) => ({ term: { metadata: key } })),
  ];
}

const anyOf = (field: string, values: readonly string[] | undefined): Query[] => (values === undefined ? [] : [{ terms: { [field]: values } }]);

function range(field: string, bounds: Record<string, string | number | undefined>): Query[] {
  const set = Object.entries(bounds).filter(([, bound]) => bound !== undefined);
  return set.length === 0 ? [] : [{ range: { [field]: Object.fromEntries(set) } }];
}

/** By words, with BM25; undefined when there are none. */
export function lexicalQuery({ words, phrases }: ParsedQuery, isFuzzy: boolean, filter: readonly Query[]): Query | undefined {
  if (words.length + phrases.length === 0) return undefined;
  const should = wordQueries(words, isFuzzy);
  return { bool: { must: phraseQueries({ phrases }), should, filter, minimum_should_match: phrases.length === 0 ? 1 : 0 } };
}

/** The same with all of the words in each hit; what is written as it is in the query comes first. */
export function allWordsQuery({ words, phrases }: ParsedQuery, isFuzzy: boolean, filter: readonly Query[]): Query | undefined {
  if (words.length + phrases.length === 0) return undefined;
  const { whole, beginnings } = wordsOf(words);
  const written = (more: Query) => (whole.length === 0 ? [] : [{ match: { terms: { query: whole.join(' '), ...more } } }]);
  return { bool: { must: [...phraseQueries({ phrases }), ...written({ operator: 'and', ...(isFuzzy && FUZZY) }), ...beginnings], should: written({}), filter } };
}

/** By meaning: the nearest among those that fit the filter. */
export const vectorQuery = (vector: Float32Array, filter: readonly Query[]): Query => ({
  knn: { embedding: { vector: Array.from(vector), k: RANK_WINDOW, filter: { bool: { filter } } } },
});

export interface WeightedQuery {
  query: Query;
  weight: number;
}

/** 2.19 reads the constant among `parameters`, whatever its documentation says, and goes on with 60 without a word. */
const COMBINATION = { technique: 'rrf', rank_constant: RANK_CONSTANT, parameters: { rank_constant: RANK_CONSTANT } } as const;

/** Each query as often as it weighs, five in all at most: the processor of 2.19 takes no weights. With ranks fused by the server (https://docs.opensearch.org/docs/latest/search-plugins/search-pipelines/score-ranker-processor/). */
export const hybridRequest = (queries: readonly WeightedQuery[]) => ({
  query: { hybrid: { pagination_depth: RANK_WINDOW, queries: queries.flatMap(({ query, weight }) => Array<Query>(weight).fill(query)) } },
  search_pipeline: { phase_results_processors: [{ 'score-ranker-processor': { combination: COMBINATION } }] },
});

const FUZZY = { fuzziness: `AUTO:${FUZZINESS.one},${FUZZINESS.two}`, prefix_length: SURE_LETTERS, max_expansions: MAX_VARIANTS } as const;

const wordsOf = (words: readonly TermSequence[]) => ({
  whole: words.filter(({ isPrefix }) => !isPrefix).map(({ terms }) => terms[0] as string),
  beginnings: words.filter(({ isPrefix }) => isPrefix).map(({ terms }) => ({ prefix: { terms: { value: terms[0] } } })),
});

function wordQueries(words: readonly TermSequence[], isFuzzy: boolean): Query[] {
  const { whole, beginnings } = wordsOf(words);
  const asWritten = whole.length === 0 ? [] : [{ match: { terms: { query: whole.join(' ') } } }];
  const unsure = isFuzzy ? whole.filter((term) => allowedEdits(term) > 0) : [];
  return [...asWritten, ...beginnings, ...fuzzyQueries(unsure)];
}

/** One for all words that are long enough. */
const fuzzyQueries = (terms: readonly string[]): Query[] =>
  terms.length === 0
    ? []
    : [{ match: { terms: { query: terms.join(' '), ...FUZZY, boost: FUZZY_BOOST } } }];

/** All of them: in each sub-query, as a hit without them is none. */
export const phraseQueries = ({ phrases }: Pick<ParsedQuery, 'phrases'>): Query[] => phrases.map(phraseQuery);

const phraseQuery = ({ terms, isPrefix }: TermSequence): Query => {
  const query = terms.join(' ');
  return isPrefix ? { match_phrase_prefix: { terms: { query, max_expansions: MAX_ENDINGS } } } : { match_phrase: { terms: { query } } };
};
