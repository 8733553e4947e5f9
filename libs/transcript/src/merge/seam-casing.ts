import { endsSentence } from '../segments/sentence-end.js';
import type { Word } from '../transcript.js';

/** Seconds of silence after which a capital is believed. */
const BELIEVED_PAUSE = 1;

const BEGINS_UPPER_CASE = /^\p{Lu}/u;

/**
 * An engine writes the first word of a chunk with a capital, though a sentence may go on there. It is made small where the
 * sentence before has not ended and the word is written small elsewhere nearby, as no name and no German noun is.
 */
export function withSeamCasing(previous: Word | undefined, first: Word, nearby: readonly Word[]): Word {
  if (!previous || !BEGINS_UPPER_CASE.test(first.text)) return first;
  if (endsSentence(previous.text, undefined) || first.start - previous.end > BELIEVED_PAUSE) return first;
  const small = first.text.replace(BEGINS_UPPER_CASE, (letter) => letter.toLowerCase());
  const letters = bare(small);
  return nearby.some(({ text }) => bare(text) === letters) ? { ...first, text: small } : first;
}

const bare = (text: string): string => text.replace(/[\p{P}\p{S}]+/gu, '');
