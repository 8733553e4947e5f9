import { separator } from '@parlance/transcript';

/** A word of a transcript. */
export interface RecognizedWord {
  text: string;
  /** Seconds. */
  start: number;
  end: number;
  confidence?: number | undefined;
}

/** A word as Deepgram's answers have it. */
export interface DeepgramWord {
  word: string;
  start: number;
  end: number;
  confidence: number;
  punctuated_word?: string;
  speaker?: number;
  speaker_confidence?: number;
}

/** The confidence of words whose engine gives none: clients drop words below a bound of theirs. */
const UNKNOWN_CONFIDENCE = 1;

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** @param formatted whether the word is also given with its capitals and punctuation */
export function deepgramWord({ text, start, end, confidence = UNKNOWN_CONFIDENCE }: RecognizedWord, formatted: boolean): DeepgramWord {
  return { word: bareWord(text), start, end, confidence, ...(formatted && { punctuated_word: text }) };
}

/** In lower case and without punctuation; a sign alone stays, as does profanity that is masked. */
function bareWord(text: string): string {
  const characters = [...text];
  const isLetter = (character: string) => LETTER_OR_DIGIT.test(character);
  const first = characters.findIndex(isLetter);
  if (first < 0 || text.includes('*')) return text.toLowerCase();
  return characters.slice(first, characters.findLastIndex(isLetter) + 1).join('').toLowerCase();
}

/** The word as texts have it. */
export const spokenText = ({ word, punctuated_word: text = word }: DeepgramWord): string => text;

/** The words as one line. */
export function transcriptOf(words: readonly DeepgramWord[]): string {
  let line = '';
  let previous: string | undefined;
  for (const text of words.map(spokenText)) {
    line += previous === undefined ? text : separator(previous, text) + text;
    previous = text;
  }
  return line;
}

/** The mean, as Deepgram gives it for a transcript; 0 where there is none. */
export const confidenceOf = (words: readonly DeepgramWord[]): number => {
  const mean = new MeanConfidence();
  for (const word of words) mean.add(word);
  return mean.value;
};

/** The same for words that come one after another. */
export class MeanConfidence {
  private sum = 0;
  private count = 0;

  /** @returns the word */
  add(word: DeepgramWord): DeepgramWord {
    this.sum += word.confidence;
    this.count += 1;
    return word;
  }

  get value(): number {
    return this.count === 0 ? 0 : rounded(this.sum / this.count);
  }
}

const rounded = (confidence: number): number => Math.round(confidence * 1e6) / 1e6;
