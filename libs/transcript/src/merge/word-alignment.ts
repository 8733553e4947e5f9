import type { Word } from '../transcript.js';

/** Two recognitions of the same spoken word, by their places in the two sequences. */
export interface WordPair {
  left: number;
  right: number;
  /** Seconds between their midpoints. */
  distance: number;
}

/** Engines disagree about one word's time by less than this when they hear it twice. */
const TOLERANCE_SECONDS = 0.4;

/** A pair is worth this much for the text alone, and up to 1 for the time. */
const TEXT_SCORE = 0.2;

/**
 * Pairs up two recognitions of the same stretch of speech: the common subsequence with the same texts whose times
 * agree best. Time decides between repetitions of one word ("no no no").
 */
export function alignWords(left: readonly Word[], right: readonly Word[]): WordPair[] {
  const width = right.length + 1;
  const best = new Float64Array((left.length + 1) * width);
  const leftTexts = left.map(comparableText);
  const rightTexts = right.map(comparableText);
  const pairScore = (i: number, j: number) =>
    leftTexts[i] === rightTexts[j] ? scoreOfDistance(distanceOf(left[i]!, right[j]!)) : 0;

  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      const skip = Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!);
      const score = pairScore(i, j);
      best[i * width + j] = score > 0 ? Math.max(skip, score + best[(i + 1) * width + j + 1]!) : skip;
    }
  }

  const pairs: WordPair[] = [];
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    const here = best[i * width + j]!;
    if (here === best[(i + 1) * width + j]) i++;
    else if (here === best[i * width + j + 1]) j++;
    else {
      pairs.push({ left: i, right: j, distance: distanceOf(left[i]!, right[j]!) });
      i++;
      j++;
    }
  }
  return pairs;
}

export const midpoint = (word: Word): number => (word.start + word.end) / 2;

const distanceOf = (a: Word, b: Word): number => Math.abs(midpoint(a) - midpoint(b));

const scoreOfDistance = (distance: number): number =>
  distance > TOLERANCE_SECONDS ? 0 : TEXT_SCORE + (1 - TEXT_SCORE) * (1 - distance / TOLERANCE_SECONDS);

/** Without case and punctuation, which engines set by what they hear around a word. */
function comparableText({ text }: Word): string {
  const folded = text.normalize('NFKC').toLowerCase();
  return folded.replace(/[\p{P}\p{S}\s]+/gu, '') || folded;
}
