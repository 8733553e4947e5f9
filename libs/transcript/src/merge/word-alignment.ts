import type { Word } from '../transcript.js';
import { heardUnits, type HeardUnit } from './heard-units.js';

/** Two recognitions of the same spoken word, by their places in the two sequences. */
export interface WordPair {
  left: number;
  right: number;
  /** Seconds between their midpoints. */
  distance: number;
  /** Seconds: halfway between their midpoints. */
  middle: number;
  /** True when both words begin, and end, with the part they share: the places to cut. */
  isFirst: boolean;
  isLast: boolean;
}

/** Engines disagree about one word's time by less than this when they hear it twice. */
const TOLERANCE_SECONDS = 0.4;

/** A pair is worth this much for the text alone, and up to 1 for the time. */
const TEXT_SCORE = 0.2;

/**
 * Pairs up two recognitions of the same stretch of speech: the common subsequence with the same texts whose times
 * agree best. Time decides between repetitions of one word ("no no no").
 */
export function alignWords(leftWords: readonly Word[], rightWords: readonly Word[]): WordPair[] {
  const [left, right] = [heardUnits(leftWords), heardUnits(rightWords)];
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

/** For each left unit the right ones with its text near its time, by their places. */
function candidatePairs(left: readonly HeardUnit[], right: readonly HeardUnit[]): Map<number, WordPair>[] {
  return left.map((unit) => {
    const near = right.flatMap((other, j) => {
      const distance = Math.abs(other.middle - unit.middle);
      return other.text === unit.text && distance <= TOLERANCE_SECONDS ? [[j, pairOf(unit, other, distance)] as const] : [];
    });
    return new Map(near);
  });
}

const pairOf = (unit: HeardUnit, other: HeardUnit, distance: number): WordPair => ({
  left: unit.word,
  right: other.word,
  distance,
  middle: (other.middle + unit.middle) / 2,
  isFirst: unit.isFirst && other.isFirst,
  isLast: unit.isLast && other.isLast,
});

const scoreOf = ({ distance }: WordPair): number => TEXT_SCORE + (1 - TEXT_SCORE) * (1 - distance / TOLERANCE_SECONDS);
