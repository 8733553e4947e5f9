import type { TimeSlices } from '@parlance/platform';
import type { SpokenLine } from '../spoken-line.js';
import type { Term, TermReader } from './term-reader.js';

/** A line with its terms as a vector of length 1, by TF-IDF; empty when it says nothing of the matter. */
export interface WeightedLine {
  line: SpokenLine;
  /** Its place in the transcript. */
  index: number;
  terms: readonly Term[];
  vector: ReadonlyMap<string, number>;
}

/** All lines of a transcript; a word that is in few of them weighs more. */
export async function weighLines(lines: readonly SpokenLine[], reader: TermReader, slices: TimeSlices): Promise<WeightedLine[]> {
  const read: Term[][] = [];
  const inLines = new Map<string, number>();
  for (const { text } of lines) {
    const terms = reader.terms(text);
    read.push(terms);
    for (const stem of new Set(terms.map(({ stem }) => stem))) inLines.set(stem, (inLines.get(stem) ?? 0) + 1);
    await slices.next();
  }
  const rarity = (stem: string) => Math.log(1 + lines.length / (inLines.get(stem) ?? 1));
  const weighted: WeightedLine[] = [];
  for (const [index, line] of lines.entries()) {
    const terms = read[index] ?? [];
    weighted.push({ line, index, terms, vector: unitVector(terms, rarity) });
    await slices.next();
  }
  return weighted;
}

/** @param weightOf of a stem, above 0 */
export function unitVector(terms: readonly Pick<Term, 'stem'>[], weightOf: (stem: string) => number): Map<string, number> {
  const vector = new Map<string, number>();
  for (const { stem } of terms) vector.set(stem, (vector.get(stem) ?? 0) + weightOf(stem));
  const length = Math.sqrt([...vector.values()].reduce((sum, weight) => sum + weight * weight, 0));
  for (const [stem, weight] of vector) vector.set(stem, weight / length);
  return vector;
}

/** 0 (nothing in common) to 1. */
export function cosine(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [stem, weight] of small) sum += weight * (large.get(stem) ?? 0);
  return sum;
}
