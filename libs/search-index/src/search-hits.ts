import { markPassage } from './analysis/snippet.js';
import type { ParsedQuery } from './analysis/parsed-query.js';
import type { SearchHit, SearchMode } from './search-index.js';

/** The stored data of a passage that was found. */
export interface FoundPassage extends Omit<SearchHit, 'score' | 'snippet' | 'jumpTo'> {
  times: readonly (readonly [offset: number, seconds: number])[];
}

/** The hit as callers get it, with its marks and the time to listen from: of the part in which the first mark is. */
export function searchHit({ times, ...passage }: FoundPassage, score: number, query: ParsedQuery, isFuzzy: boolean): SearchHit {
  const { snippet, firstMark } = markPassage(passage.text, query, isFuzzy);
  const said = firstMark === undefined ? undefined : times.findLast(([offset]) => offset <= firstMark);
  return { ...passage, score, snippet, jumpTo: said?.[1] ?? passage.start };
}

/** Returns the ways of searching that the content of the query allows. */
export function usableWays({ words, phrases }: ParsedQuery, hasEmbedding: boolean, mode: SearchMode = 'hybrid'): SearchMode {
  if (!hasEmbedding || mode === 'lexical') return 'lexical';
  return mode === 'vector' || words.length + phrases.length === 0 ? 'vector' : 'hybrid';
}
