import { hasSpaceless, splitSpaceless } from '@parlance/languages';
import { separator } from '../segments/join-words.js';
import type { Word } from '../transcript.js';

/** A word that may stand on a line by itself. */
export interface CaptionWord {
  text: string;
  /** Seconds. */
  start: number;
  end: number;
  /** True when it follows the previous word without a space, whatever their scripts. */
  isAttached: boolean;
}

/**
 * The words as a reader knows them. Engines cut scripts without spaces anywhere, into syllables or not at all: what they joined
 * without a space is divided anew by dictionary, and each word has the time of its letters.
 */
export function captionWords(words: readonly Word[], language: string): CaptionWord[] {
  const found: CaptionWord[] = [];
  for (let from = 0; from < words.length; ) {
    const to = runEnd(words, from);
    const run = words.slice(from, to);
    found.push(...(run.some(({ text }) => hasSpaceless(text)) ? dividedAnew(run, language) : run.map(asItIs)));
    from = to;
  }
  return found;
}

/** The first word after `from` that a space stands before. */
function runEnd(words: readonly Word[], from: number): number {
  for (let to = from + 1; to < words.length; to++) {
    const [previous, next] = [words[to - 1], words[to]];
    if (!previous || !next || separator(previous.text, next.text) === ' ') return to;
  }
  return words.length;
}

const asItIs = ({ text, start, end }: Word): CaptionWord => ({ text, start, end, isAttached: false });

function dividedAnew(run: readonly Word[], language: string): CaptionWord[] {
  const text = run.map((word) => word.text).join('');
  const timeAt = timesOf(run);
  let at = 0;
  return splitSpaceless(text, language).map((piece) => {
    const from = at;
    at += piece.length;
    return { text: piece, start: timeAt(from, 'start'), end: timeAt(at - 1, 'end'), isAttached: from > 0 };
  });
}

/** When the letter at an offset of the joined text begins or ends, each word's time shared out among its own. */
function timesOf(run: readonly Word[]): (offset: number, edge: 'start' | 'end') => number {
  const letters = run.flatMap(({ text, start, end }) =>
    Array.from({ length: text.length }, (_, index) => ({
      start: start + ((end - start) * index) / text.length,
      end: start + ((end - start) * (index + 1)) / text.length,
    })),
  );
  return (offset, edge) => letters[offset]?.[edge] ?? 0;
}
