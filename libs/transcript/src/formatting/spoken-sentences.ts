import { joinWords } from '../segments/join-words.js';
import { endsSentence } from '../segments/sentence-end.js';
import type { Segment, Word } from '../transcript.js';
import { isQuestion } from './english-sentences.js';
import { rawOf, rewritten } from './raw-words.js';
import { capitalized } from './word-parts.js';

const PUNCTUATED = /\p{P}$/u;
const MARK = /[.?]$/;

/**
 * Ends sentences that `formatEnglish` or a model of punctuation wrote where another speaker continues, which is known only later: the first speaker's part gets its end,
 * the other one begins with a capital, and each has a question mark if it asks. What is done already is not done again.
 * @param before the segment before these
 * @param isWrittenHere true for segments whose punctuation is of rules or a model
 * @returns the segments, and the one before them as it is now
 */
export function endedAtSpeakers(before: Segment | undefined, segments: readonly Segment[], isWrittenHere: (segment: Segment) => boolean): { before: Segment | undefined; segments: Segment[] } {
  const all = before ? [before, ...segments] : [...segments];
  for (const [index, next] of all.entries()) {
    const last = all[index - 1];
    if (!last || !isOtherSpeaker(last, next) || !isWrittenHere(last) || !isWrittenHere(next) || endsWithSentence(last)) continue;
    all[index - 1] = withEnd(last);
    all[index] = withBeginning(next);
  }
  return before ? { before: all[0], segments: all.slice(1) } : { before, segments: all };
}

const isOtherSpeaker = (last: Segment, next: Segment): boolean => last.speakerId !== undefined && next.speakerId !== undefined && last.speakerId !== next.speakerId;

const endsWithSentence = ({ words }: Segment): boolean => endsSentence(words.at(-1)?.text ?? '', undefined);

/** The sentence with which the segment ends, closed. */
function withEnd(segment: Segment): Segment {
  const { words } = segment;
  const last = words.at(-1);
  if (!last || PUNCTUATED.test(last.text)) return segment;
  const from = words.findLastIndex(({ text }, index) => endsSentence(text, words[index + 1]?.text)) + 1;
  return withWords(segment, [...words.slice(0, -1), rewritten(last, last.text + markOf(words.slice(from)))]);
}

/** The sentence with which the segment begins, with the mark that it has without the part of the other speaker. */
function withBeginning(segment: Segment): Segment {
  const [first, ...others] = segment.words;
  if (!first) return segment;
  const words = [rewritten(first, capitalized(first.text)), ...others];
  const end = words.findIndex(({ text }, index) => endsSentence(text, words[index + 1]?.text));
  const last = words[end];
  const isOwnMark = last !== undefined && MARK.test(last.text) && last.raw !== undefined && !PUNCTUATED.test(rawOf(last));
  return withWords(segment, isOwnMark ? words.with(end, rewritten(last, last.text.replace(MARK, markOf(words.slice(0, end + 1))))) : words);
}

const markOf = (words: readonly Word[]): '?' | '.' => (isQuestion(words.map(({ text }) => text)) ? '?' : '.');

const withWords = (segment: Segment, words: Word[]): Segment => ({ ...segment, text: joinWords(words), words });
