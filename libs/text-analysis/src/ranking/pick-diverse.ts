import { cosine, type WeightedLine } from '../terms/weighted-line.js';

/** The weight of relevance against novelty. */
const RELEVANCE = 0.7;

/** 0 (nothing in common) to 1 (the same). */
export type Likeness = (a: WeightedLine, b: WeightedLine) => number;

/** By the words they have in common. */
export const likenessOfTerms: Likeness = (a, b) => cosine(a.vector, b.vector);

/**
 * Maximal marginal relevance (Carbonell and Goldstein 1998): the best first, then whatever is good and unlike what was taken.
 * @param ranked best first @returns at most `count`, in the order of the transcript
 */
export function pickDiverse<T extends WeightedLine & { score: number }>(ranked: readonly T[], count: number, likenessOf: Likeness = likenessOfTerms): T[] {
  const best = ranked[0]?.score || 1;
  const left = ranked.slice(0, count * 10).map((line) => ({ line, likeness: 0 }));
  const picked: T[] = [];
  while (picked.length < count && left.length > 0) {
    const value = ({ line, likeness }: (typeof left)[number]) => (RELEVANCE * line.score) / best - (1 - RELEVANCE) * likeness;
    const next = left.reduce((a, b) => (value(b) > value(a) ? b : a));
    left.splice(left.indexOf(next), 1);
    picked.push(next.line);
    for (const other of left) other.likeness = Math.max(other.likeness, likenessOf(other.line, next.line));
  }
  return picked.toSorted((a, b) => a.index - b.index);
}
