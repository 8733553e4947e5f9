/** Loops of up to this many words are looked for; engines' loops are rarely longer than a sentence. */
const MAX_LOOP_WORDS = 12;
/** People may say a word five times in a row, but not eight times. */
export const WORD_REPEATS = 8;
/** Phrases of two words and more come back this often only when an engine is stuck. */
export const PHRASE_REPEATS = 5;

interface WithoutRepetitions<W> {
  words: W[];
  /** The number of words that were removed. */
  removed: number;
}

/**
 * Takes out the loops that engines fall into on noise (`thank you thank you thank you …`): where the same n words follow
 * each other at least 8 times (n = 1) or 5 times (n > 1), only the first round stays. Case and punctuation do not count.
 */
export function removeRepetitions<W extends { text: string }>(words: readonly W[]): WithoutRepetitions<W> {
  let kept = [...words];
  for (let before = -1; before !== kept.length; ) {
    before = kept.length;
    for (let size = 1; size <= MAX_LOOP_WORDS; size += 1) kept = collapseLoops(kept, size);
  }
  return { words: kept, removed: words.length - kept.length };
}

function collapseLoops<W extends { text: string }>(words: readonly W[], size: number): W[] {
  const keys = words.map(({ text }) => normalized(text));
  const threshold = size === 1 ? WORD_REPEATS : PHRASE_REPEATS;
  const kept: W[] = [];
  for (let at = 0; at < words.length; ) {
    const rounds = roundsFrom(keys, at, size);
    kept.push(...words.slice(at, at + (rounds >= threshold ? size : 1)));
    at += rounds >= threshold ? size * rounds : 1;
  }
  return kept;
}

/** Counts the repetitions of the n-gram at `at`. */
function roundsFrom(keys: readonly string[], at: number, size: number): number {
  let index = at + size;
  while (index < keys.length && keys[index] === keys[index - size]) index += 1;
  return Math.floor((index - at) / size);
}

const normalized = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}\p{M}]/gu, '') || text;
