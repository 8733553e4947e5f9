import { allowedEdits, FUZZINESS, SURE_LETTERS } from '../analysis/fuzziness.js';
import type { ParsedQuery, TermSequence } from '../analysis/parsed-query.js';
import type { StoredFilters } from '../checked-input.js';
import { RANK_WINDOW } from '../ranking/hybrid-ranking.js';

/** Fuzzy matches count less than exact ones. */
const FUZZY_BOOST = 0.3;
const MAX_VARIANTS = 20;
/** The maximum number of endings of a phrase whose last character may be the start of a longer word. */
const MAX_ENDINGS = 200;

type Query = Record<string, unknown>;

/** The filters of every sub-query; the account comes first, whatever the rest is. */
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

/** Which words of the query a hit has, by the names of `markWords` in its `matched_queries`. */
export interface MarkedHit {
  matched_queries?: readonly string[];
}

/** The query with a name for each word that a hit has, as it is written or with a typo; neither the hits nor their scores change. */
export const markWords = (query: Query, words: readonly TermSequence[], isFuzzy: boolean): Query => ({
  bool: { must: [query], should: words.flatMap((word, index) => wordMarks(word, index, isFuzzy)) },
});

function wordMarks({ terms: [term = ''], isPrefix }: TermSequence, index: number, isFuzzy: boolean): Query[] {
  const named = (name: string, filter: Query) => ({ constant_score: { filter, boost: 0, _name: name } });
  const written = named(`written ${index}`, isPrefix ? { prefix: { terms: { value: term } } } : { term: { terms: term } });
  if (isPrefix || !isFuzzy || allowedEdits(term) === 0) return [written];
  return [written, named(`similar ${index}`, { match: { terms: { query: term, ...FUZZY } } })];
}

/** For each word, which of the hits have it: with a typo only where none has it as it is written. */
export function wordsOfHits(hits: readonly MarkedHit[], words: number): boolean[][] {
  const names = hits.map(({ matched_queries = [] }) => new Set(matched_queries));
  const kinds = Array.from({ length: words }, (_, index) => (names.some((of) => of.has(`written ${index}`)) ? 'written' : 'similar'));
  return names.map((of) => kinds.map((kind, index) => of.has(`${kind} ${index}`)));
}

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
