import { joinedRaw } from '../formatting/raw-words.js';
import { partsOf } from '../formatting/word-parts.js';
import type { MergedWord } from '../merge/merge-chunks.js';
import { roundToMs } from '../timecodes.js';
import type { Word } from '../transcript.js';
import { readFigures, type Figures } from './number-phrases.js';

/** Words that are looked at together; no number has more. */
const WINDOW = 24;
/** A longer pause ends a phrase, as it ends a segment. */
const MAX_PAUSE_SECONDS = 0.8;

/**
 * English words with numbers in figures: `twenty three` is `23`, from the start of its first word to the end of its last. Numbers below
 * ten stay, unless they are part of a time, a date, an amount or a series. What may be read in two ways stays. Holds 24 words.
 * @param isEnglish whether the rules apply to a word
 */
export async function* writeNumerals<W extends MergedWord>(words: AsyncIterable<W> | Iterable<W>, isEnglish: (word: W) => boolean): AsyncGenerator<W> {
  const held: W[] = [];
  let before: W | undefined;
  function* take(): Generator<W> {
    const { count, figures } = firstNumber(before, held, isEnglish);
    const taken = held.splice(0, count);
    before = taken.at(-1);
    yield* figures ? [inFigures(taken, figures)] : taken;
  }
  for await (const word of words) {
    held.push(word);
    while (held.length >= WINDOW) yield* take();
  }
  while (held.length > 0) yield* take();
}

/** Figures in a text without times. */
interface WrittenNumber {
  /** The index of the first word, and how many words the figures stand for. */
  first: number;
  count: number;
  /** With the punctuation around the words. */
  text: string;
}

/** The numbers that `writeNumerals` writes in figures, in English words without times. */
export function numbersIn(texts: readonly string[]): WrittenNumber[] {
  const words = texts.map((text): Word => ({ start: 0, end: 0, text }));
  const numbers: WrittenNumber[] = [];
  for (let first = 0; first < words.length; ) {
    const { count, figures } = firstNumber(words[first - 1], words.slice(first, first + WINDOW), () => true);
    if (figures) numbers.push({ first, count, text: inFigures(words.slice(first, first + count), figures).text });
    first += count;
  }
  return numbers;
}

/** The number that the first held words are, or else the first word alone. */
function firstNumber<W extends Word>(before: W | undefined, held: readonly W[], isEnglish: (word: W) => boolean): { count: number; figures?: Figures } {
  const { keys, ends } = phraseOf(before, held, isEnglish);
  const figures = readFigures(keys, 1);
  const count = figures && ends.get(1 + figures.length);
  return figures && count !== undefined ? { count, figures } : { count: 1 };
}

/**
 * The keys of the word before and of those held, up to a pause or punctuation; a hyphenated number is two.
 * `ends` has, by the number of keys, the number of held words that they are.
 */
function phraseOf<W extends Word>(before: W | undefined, held: readonly W[], isEnglish: (word: W) => boolean): { keys: string[]; ends: Map<number, number> } {
  const keys = [before && held[0] && isTogether(before, held[0]) ? keyOf(before.text) : ''];
  const ends = new Map<number, number>();
  for (const [index, word] of held.entries()) {
    const previous = held[index - 1];
    if (!isEnglish(word) || (previous && !isTogether(previous, word))) break;
    const key = keyOf(word.text);
    keys.push(...(/^[a-z]+-[a-z]+$/.test(key) ? key.split('-') : [key]));
    ends.set(keys.length, index + 1);
  }
  return { keys, ends };
}

const keyOf = (text: string): string => partsOf(text).letters.toLowerCase().replace('’', "'");

/** Punctuation parts numbers; the points of `a. m.` do not. */
const isTogether = (one: Word, other: Word): boolean =>
  other.start - one.end <= MAX_PAUSE_SECONDS && (partsOf(one.text).closing === '' || /^\p{L}\.$/u.test(one.text)) && partsOf(other.text).opening === '' && one.speakerId === other.speakerId;

function inFigures<W extends Word>(words: readonly W[], { text }: Figures): W {
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last) throw new RangeError('Figures stand for at least one word.');
  const { closing } = partsOf(last.text);
  const known = words.flatMap(({ confidence }) => confidence ?? []);
  const confidence = known.length === 0 ? {} : { confidence: roundToMs(known.reduce((sum, each) => sum + each, 0) / known.length) };
  const end = text.endsWith('.') ? closing.replace(/^\./, '') : closing;
  return { ...first, end: last.end, text: `${partsOf(first.text).opening}${text}${end}`, raw: joinedRaw(words), ...confidence };
}
