import { primaryLanguage } from '@parlance/languages';
import { endsSentence } from '../segments/sentence-end.js';
import type { Word } from '../transcript.js';
import { withNames } from './english-casing.js';
import { rewritten } from './raw-words.js';
import { capitalized, smallLetters } from './word-parts.js';

interface PunctuationOfWords {
  /** The text of each word with its punctuation. */
  texts: readonly string[];
  /** False: capitals of English are written by rules. */
  hasCapitals: boolean;
  /** BCP 47 */
  language: string;
}

/** The texts of bare words in small letters, where the engine writes all in capitals. */
export const bareTexts = (words: readonly Word[]): readonly string[] => smallLetters(words.map(({ text }) => text));

/** The words with the punctuation of a model. Each whose text changes keeps the engine's in `raw`. */
export function punctuatedWords<W extends Word>(words: readonly W[], { texts, hasCapitals, language }: PunctuationOfWords): W[] {
  const written = hasCapitals || primaryLanguage(language) !== 'en' ? texts : inSentenceCase(withNames(texts));
  return words.map((word, index) => rewritten(word, written[index] ?? word.text));
}

const inSentenceCase = (texts: readonly string[]): string[] =>
  texts.map((text, index) => {
    const before = texts[index - 1];
    return before === undefined || endsSentence(before, undefined) ? capitalized(text) : text;
  });
