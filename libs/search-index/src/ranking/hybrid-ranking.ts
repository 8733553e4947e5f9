/** Hits that each way of searching contributes at most, and thereby how far pages reach. */
export const RANK_WINDOW = 200;

/** The weight of meaning in a hybrid score; the words have the rest. Chosen with `bench/measures/search-quality.mjs`, see decision 52. */
const MEANING_SHARE = 0.5;

/** Keeps the scores of a single list apart by rank: score = 1 / (RANK_OFFSET + rank). */
const RANK_OFFSET = 10;

export interface Ranked {
  id: string;
  score: number;
}

/** A passage that was found by words, by meaning or by both. */
export interface Candidate {
  id: string;
  /** The cosine to the query, or any linear function of it; absent when the passage is not among the nearest. */
  similarity?: number | undefined;
  /** For each word of the query, whether the passage has it. */
  words: readonly boolean[];
}

/** The ids of one list in their order. */
export const rankList = (ids: readonly string[]): Ranked[] => ids.map((id, index) => ({ id, score: 1 / (RANK_OFFSET + index + 1) }));

/**
 * Ranks by a convex combination of two scores from 0 to 1 (Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid
 * Retrieval", ACM TOIS 2023): the similarity, scaled from the farthest to the nearest candidate, and the share of the query's words
 * that the passage has, where a rare word counts more. Passages with every word come first, so that a name finds what contains it.
 * @param candidates in the order that ties keep
 */
export function rankHybrid(candidates: readonly Candidate[]): Ranked[] {
  const similarityOf = scaledSimilarity(candidates);
  const coverageOf = wordCoverage(candidates);
  const scored = candidates.map((candidate) => {
    const score = MEANING_SHARE * similarityOf(candidate) + (1 - MEANING_SHARE) * coverageOf(candidate);
    return { id: candidate.id, score: candidate.words.every(Boolean) ? 1 + score : score };
  });
  return scored.toSorted((a, b) => b.score - a.score);
}

function scaledSimilarity(candidates: readonly Candidate[]): (candidate: Candidate) => number {
  const known = candidates.flatMap(({ similarity }) => similarity ?? []);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  return ({ similarity }) => {
    if (similarity === undefined) return 0;
    return most === least ? 1 : (similarity - least) / (most - least);
  };
}

/** The weight of the words that a passage has, of the weight of all words of the query. */
function wordCoverage(candidates: readonly Candidate[]): (candidate: Candidate) => number {
  const weights = (candidates[0]?.words ?? []).map((_, index) => rarity(candidates.filter(({ words }) => words[index]).length, candidates.length));
  const total = sum(weights);
  return ({ words }) => (total === 0 ? 0 : sum(weights.filter((_, index) => words[index])) / total);
}

/** The inverse document frequency of BM25, of a word that so many of the candidates have. */
const rarity = (having: number, all: number): number => Math.log(1 + (all - having + 0.5) / (having + 0.5));

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
