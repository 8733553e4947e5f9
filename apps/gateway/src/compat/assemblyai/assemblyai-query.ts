import { termsOf } from '@parlance/transcript';
import { invalidValue } from '../request-texts.js';

const MAX_PHRASES = 50;
const MAX_PHRASE_WORDS = 5;
const MIN_WIDTH = 10;
const MAX_WIDTH = 200;

/** @param given words and phrases with commas between them. @throws AppError */
export function searchedPhrases(given: unknown): string[] {
  const phrases = [given ?? []]
    .flat()
    .flatMap((text) => String(text).split(','))
    .map((text) => text.trim())
    .filter((text) => termsOf(text).length > 0);
  if (phrases.length === 0) throw invalidValue('words', 'Name words or phrases, with commas between them.');
  if (phrases.length > MAX_PHRASES) throw invalidValue('words', `Name at most ${MAX_PHRASES} words or phrases.`);
  if (phrases.some((phrase) => phrase.split(/\s+/).length > MAX_PHRASE_WORDS)) throw invalidValue('words', `A phrase may have at most ${MAX_PHRASE_WORDS} words.`);
  return phrases;
}

/** @returns the characters of a caption; undefined when none are given. @throws AppError */
export function captionWidth(given: unknown): number | undefined {
  if (given === undefined || given === '') return undefined;
  const width = Number(given);
  if (!Number.isInteger(width) || width < MIN_WIDTH || width > MAX_WIDTH) throw invalidValue('chars_per_caption', `This must be a whole number from ${MIN_WIDTH} to ${MAX_WIDTH}.`);
  return width;
}
