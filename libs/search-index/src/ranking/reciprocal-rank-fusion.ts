/**
 * What a first place counts more than a second (k): "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
 * Methods", Cormack, Clarke and Büttcher, SIGIR 2009, section 3. Less than their 60, by bench/measures/search-quality.mjs.
 */
export const RANK_CONSTANT = 10;

/**
 * How often each list counts in a hybrid search. The words of a question are often in what does not answer it, so that meaning
 * counts more; but whoever looks for a name wants what has it first, whatever is near its meaning.
 */
export const RANK_WEIGHTS = { someWords: 1, allWords: 2, meaning: 2 } as const;

/** Hits that each way of searching hands in, and thereby how far pages reach. */
export const RANK_WINDOW = 200;

export interface Ranked {
  id: string;
  score: number;
}

export interface RankedList {
  /** The best first. */
  ids: readonly string[];
  weight: number;
}

/** The best first: the sum of weight / (k + rank) over the lists that have it, ranks from 1; ties by id. */
export function fuseRanks(lists: readonly RankedList[]): Ranked[] {
  const scores = new Map<string, number>();
  for (const { ids, weight } of lists) ids.forEach((id, index) => scores.set(id, (scores.get(id) ?? 0) + weight / (RANK_CONSTANT + index + 1)));
  return Array.from(scores, ([id, score]) => ({ id, score })).toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}
