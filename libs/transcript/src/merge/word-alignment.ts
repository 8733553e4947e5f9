import type { Word } from '../transcript.js';

/** Two recognitions of the same spoken word, by their places in the two sequences. */
export interface WordPair {
  left: number;
  right: number;
  /** Seconds between their midpoints. */
  distance: number;
  /** Seconds: halfway between their midpoints. */
  middle: number;
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
  const candidates = candidatePairs(left, right);
  const width = right.length + 1;
  const best = new Float64Array((left.length + 1) * width);
  const bestFrom = (i: number, j: number) => best[i * width + j] ?? 0;

  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      const pair = candidates[i]?.get(j);
      const skip = Math.max(bestFrom(i + 1, j), bestFrom(i, j + 1));
      best[i * width + j] = pair ? Math.max(skip, scoreOf(pair) + bestFrom(i + 1, j + 1)) : skip;
    }
  }

  const pairs: WordPair[] = [];
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    const here = bestFrom(i, j);
    const pair = candidates[i]?.get(j);
    if (here === bestFrom(i + 1, j)) i++;
    else if (here === bestFrom(i, j + 1) || !pair) j++;
    else {
      pairs.push(pair);
      i++;
      j++;
    }
  }
  return pairs;
}

export const midpoint = (word: Word): number => (word.start + word.end) / 2;

/** For each left word the right words with its text near its time, by their places. */
function candidatePairs(left: readonly Word[], right: readonly Word[]): Map<number, WordPair>[] {
  const heard = right.map((word) => ({ text: comparableText(word), middle: midpoint(word) }));
  return left.map((word, i) => {
    const [text, middle] = [comparableText(word), midpoint(word)];
    const pairs = heard.map((other, j) => ({ left: i, right: j, distance: Math.abs(other.middle - middle), middle: (other.middle + middle) / 2 }));
    return new Map(pairs.filter(({ right: j, distance }) => heard[j]?.text === text && distance <= TOLERANCE_SECONDS).map((pair) => [pair.right, pair]));
  });
}

const scoreOf = ({ distance }: WordPair): number => TEXT_SCORE + (1 - TEXT_SCORE) * (1 - distance / TOLERANCE_SECONDS);

/** Without case and punctuation, which engines set by what they hear around a word. */
function comparableText({ text }: Word): string {
  const folded = text.normalize('NFKC').toLowerCase();
  return folded.replace(/[\p{P}\p{S}\s]+/gu, '') || folded;
}
