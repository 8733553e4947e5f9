import { hasSpaceless } from '@parlance/languages';
import { graphemesOf } from '../render/graphemes.js';
import type { Word } from '../transcript.js';
import { comparableText } from './comparable-text.js';

/** What two recognitions are compared by: a word, or a letter of a script in which engines cut words as they like. */
export interface HeardUnit {
  text: string;
  /** Seconds. */
  middle: number;
  /** The place of its word. */
  word: number;
  /** Whether its word begins and ends with it. */
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
