import { endsSentence } from '../segments/sentence-end.js';
import type { Word } from '../transcript.js';

/** Seconds of silence after which a capital is believed. */
const BELIEVED_PAUSE = 1;

const BEGINS_UPPER_CASE = /^\p{Lu}/u;

/**
 * An engine capitalizes the first word of a chunk, though it may be in the middle of a sentence. The word is lower-cased when
 * the sentence before has not ended and the word occurs in lower case nearby, which excludes names and German nouns.
 */
export function withSeamCasing(previous: Word | undefined, first: Word, nearby: readonly Word[]): Word {
  if (!previous || !BEGINS_UPPER_CASE.test(first.text)) return first;
  if (endsSentence(previous.text, undefined) || first.start - previous.end > BELIEVED_PAUSE) return first;
  const small = first.text.replace(BEGINS_UPPER_CASE, (letter) => letter.toLowerCase());
  const letters = bare(small);
  return nearby.some(({ text }) => bare(text) === letters) ? { ...first, text: small } : first;
}

const bare = (text: string): string => text.replace(/[\p{P}\p{S}]+/gu, '');
