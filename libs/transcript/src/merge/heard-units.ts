import { hasSpaceless } from '@parlance/languages';
import { graphemesOf } from '../render/graphemes.js';
import type { Word } from '../transcript.js';

/** Vowel signs of Hebrew and Arabic and the stretching stroke, which engines write or leave out; the dot that 'İ' leaves behind. */
const OPTIONAL_MARKS = /[\u0591-\u05bd\u05bf\u05c1\u05c2]|[\u05c4\u05c5\u05c7]|[\u0610-\u061a]|[\u064b-\u065f]|\u0640|\u0670|\u0307/gu;

/** Without case, punctuation and optional marks, which engines set by what they hear around a word. */
function comparableText(text: string): string {
  // Up and down again: 'ß' is 'ss', the two sigmas are one, and so are the dotted and the dotless i of Turkish.
  const folded = text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().replace(OPTIONAL_MARKS, '');
  return folded.replace(/[\p{P}\p{S}\s]+/gu, '') || folded;
}

/** The unit by which two recognitions are compared: a word, or a letter of a script in which engines split words arbitrarily. */
export interface HeardUnit {
  text: string;
  /** Seconds. */
  middle: number;
  /** The place of its word. */
  word: number;
  /** True when its word begins with it; `isLast` when its word ends with it. */
  isFirst: boolean;
  isLast: boolean;
}

export const midpoint = (word: Word): number => (word.start + word.end) / 2;

export const heardUnits = (words: readonly Word[]): HeardUnit[] => words.flatMap(unitsOf);

function unitsOf(word: Word, place: number): HeardUnit[] {
  const text = comparableText(word.text);
  if (!hasSpaceless(text)) return [{ text, middle: midpoint(word), word: place, isFirst: true, isLast: true }];
  const letters = graphemesOf(text);
  const seconds = (word.end - word.start) / letters.length;
  return letters.map((letter, index) => ({
    text: letter,
    middle: word.start + seconds * (index + 0.5),
    word: place,
    isFirst: index === 0,
    isLast: index === letters.length - 1,
  }));
}
