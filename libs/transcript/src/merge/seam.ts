import type { Word } from '../transcript.js';
import { midpoint } from './heard-units.js';
import { alignWords, type WordPair } from './word-alignment.js';

/** The place where the left chunk's words stop and the right chunk's words continue. */
interface Seam {
  /** The number of left words that are kept. */
  leftEnd: number;
  /** The first of the right words that is kept. */
  rightStart: number;
}

/** Seconds of the media that both chunks cover, and the boundary between their responsibilities. */
interface Overlap {
  start: number;
  end: number;
  boundary: number;
}

/** A disagreement of one second about a word's time outweighs this many seconds of distance from the boundary. */
const DISAGREEMENT_WEIGHT = 4;

/** Cutting a second deep into a word is as bad as cutting this many seconds away from the boundary. */
const DEPTH_WEIGHT = 10;

/** Dropping a word that only one side recognized costs as much as cutting this many seconds away from the boundary. */
const WORD_WEIGHT = 0.5;

/**
 * Chooses the seam of two overlapping chunks so that no word is lost or doubled. Both sequences are in order, in media time. A
 * word that both recognized alike is the safest place; without one, the quietest moment near the boundary.
 */
export function findSeam(left: readonly Word[], right: readonly Word[], overlap: Overlap): Seam {
  if (overlap.end <= overlap.start) return { leftEnd: left.length, rightStart: 0 };
  const from = firstIndex(left, (word) => word.end > overlap.start);
  const to = firstIndex(right, (word) => word.start >= overlap.end);
  const heardLeft = left.slice(from);
  const heardRight = right.slice(0, to);
  const seam = seamAtSharedWord(heardLeft, heardRight, overlap) ?? seamAtQuietMoment(heardLeft, heardRight, overlap);
  return { leftEnd: from + seam.leftEnd, rightStart: seam.rightStart };
}

function seamAtSharedWord(left: readonly Word[], right: readonly Word[], { start, end, boundary }: Overlap): Seam | undefined {
  let chosen: Seam | undefined;
  let lowest = Infinity;
  for (const pair of alignWords(left, right)) {
    const { middle, distance } = pair;
    const cost = Math.abs(middle - boundary) + DISAGREEMENT_WEIGHT * distance;
    // The recognition that is farther from the edge of its audio had more context.
    const seam = seamBeside(pair, end - middle >= middle - start);
    if (cost >= lowest || !seam) continue;
    lowest = cost;
    chosen = seam;
  }
  return chosen;
}

/** After the left word, or before the right one: where both words end alike, or begin alike. */
function seamBeside({ left, right, isFirst, isLast }: WordPair, prefersLeft: boolean): Seam | undefined {
  if (isLast && (prefersLeft || !isFirst)) return { leftEnd: left + 1, rightStart: right + 1 };
  return isFirst ? { leftEnd: left, rightStart: right } : undefined;
}

function seamAtQuietMoment(left: readonly Word[], right: readonly Word[], { start, end, boundary }: Overlap): Seam {
  const words = [...left, ...right];
  const edges = words.flatMap((word) => [word.start, word.end]).filter((time) => time > start && time < end);
  let chosen = seamAt(left, right, boundary);
  let lowest = Infinity;
  for (const time of [boundary, ...edges]) {
    const seam = seamAt(left, right, time);
    const kept = seam.leftEnd + right.length - seam.rightStart;
    const depth = words.reduce((sum, word) => sum + Math.max(0, Math.min(time - word.start, word.end - time)), 0);
    const cost = DEPTH_WEIGHT * depth + Math.abs(time - boundary) - WORD_WEIGHT * kept;
    if (cost >= lowest) continue;
    lowest = cost;
    chosen = seam;
  }
  return chosen;
}

const seamAt = (left: readonly Word[], right: readonly Word[], time: number): Seam => ({
  leftEnd: firstIndex(left, (word) => midpoint(word) >= time),
  rightStart: firstIndex(right, (word) => midpoint(word) >= time),
});

function firstIndex(words: readonly Word[], matches: (word: Word) => boolean): number {
  const index = words.findIndex(matches);
  return index === -1 ? words.length : index;
}
