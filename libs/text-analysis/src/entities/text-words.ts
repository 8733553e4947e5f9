import { closingLength } from './entity.js';

/** A word of a text, up to the next white space. */
export interface TextWord {
  /** Without the punctuation behind it. */
  bare: string;
  /** UTF-16 offset of `bare` in the text. */
  from: number;
  to: number;
  /** Punctuation stands behind it; that of an abbreviation counts too. */
  isClosed: boolean;
}

const CLOSING = /[.,;:!?)\]»”"]/u;

export const wordsIn = (text: string): TextWord[] =>
  [...text.matchAll(/\S+/gu)].map(({ 0: word, index }) => {
    const closing = closingLength(word, CLOSING);
    return { bare: word.slice(0, word.length - closing), from: index, to: index + word.length - closing, isClosed: closing > 0 };
  });

export const isCapitalized = ({ bare }: TextWord): boolean => /^\p{Lu}/u.test(bare);

/** The longest run of words from a place on that `isPart` accepts, which ends at punctuation. */
export function runFrom(words: readonly TextWord[], first: number, most: number, isPart: (word: TextWord) => boolean): TextWord[] {
  const run: TextWord[] = [];
  for (const word of words.slice(first, first + most)) {
    if (!isPart(word)) break;
    run.push(word);
    if (word.isClosed) break;
  }
  return run;
}
