import { endsClause, endsSentence } from '@parlance/transcript';
import type { SpokenLine } from '../spoken-line.js';

/** A part of a segment. Its own times are by its place in the text; those of the segment are exact. */
export interface Phrase extends SpokenLine {
  segment: Pick<SpokenLine, 'start' | 'end'>;
}

/** Characters: a sentence of twenty words. What a recogniser ended by itself may be longer. */
const MAX_LENGTH = 120;
/** Characters that a phrase has best. */
const BEST_LENGTH = 50;

const CONNECTIVE = /^(and|but|so|because|then|or|which|if|when|okay|ok|well|also)$/iu;
const SUBJECT = /^(i|we|you|he|she|it|they|there|this|that|let's|(i|we|you|he|she|they|it)['’]\w+)$/iu;

/** The cost of a break before a word: from 0 where a clause begins, to more than the cost of a phrase of bad length. */
function breakCost(words: readonly string[], at: number): number {
  const [before = '', word = '', next = ''] = words.slice(at - 1, at + 2);
  if (endsClause(before)) return 0.1;
  if (CONNECTIVE.test(before)) return 2;
  if (CONNECTIVE.test(word)) return SUBJECT.test(next) ? 0 : 0.3;
  return SUBJECT.test(word) ? 0.5 : 1.5;
}

/**
 * Lines in which a recogniser wrote no full stop, in phrases of at most 120 characters, broken where a clause most likely begins
 * (English words for that; elsewhere commas and length). Each phrase is verbatim, in the segment it was in. Text
 * without spaces stays as it is.
 */
export const shortLines = (lines: readonly SpokenLine[]): (SpokenLine | Phrase)[] => lines.flatMap(phrasesOf);

function phrasesOf(line: SpokenLine): (SpokenLine | Phrase)[] {
  const text = line.text.trim().replaceAll(/\s+/gu, ' ');
  const words = text.split(' ');
  if (text.length <= MAX_LENGTH || words.length === 1 || endsSentence(words.at(-1) ?? '', undefined)) return [line];
  const { start, end } = line;
  const at = (offset: number) => Math.round((start + (offset * (end - start)) / text.length) * 1000) / 1000;
  let offset = 0;
  return bestPhrases(words).map((phrase) => {
    const from = offset;
    offset = Math.min(text.length, offset + phrase.length + 1);
    return { ...line, text: phrase, start: at(from), end: offset >= text.length ? end : at(offset), segment: { start, end } };
  });
}

/** The cheapest way to break the words (dynamic programming over where the last phrase begins). */
function bestPhrases(words: readonly string[]): string[] {
  const breaks = words.map((_, at) => (at === 0 ? 0 : breakCost(words, at)));
  const best: { cost: number; from: number }[] = [{ cost: 0, from: 0 }];
  for (let end = 1; end <= words.length; end++) {
    let [cost, from, length] = [Infinity, end - 1, -1];
    for (let start = end - 1; start >= 0; start--) {
      length += 1 + (words[start] as string).length;
      if (length > MAX_LENGTH && start < end - 1) break;
      const whole = (best[start]?.cost ?? Infinity) + ((length - BEST_LENGTH) / BEST_LENGTH) ** 2 + (breaks[start] ?? 0);
      if (whole < cost) [cost, from] = [whole, start];
    }
    best.push({ cost, from });
  }
  const phrases: string[] = [];
  for (let end = words.length; end > 0; end = best[end]?.from ?? 0) phrases.unshift(words.slice(best[end]?.from, end).join(' '));
  return phrases;
}
