import { roundToMs } from '../timecodes.js';
import type { MergedWord } from '../merge/merge-chunks.js';
import type { Segment, Word } from '../transcript.js';
import { joinWords } from './join-words.js';
import { endsClause, endsSentence } from './sentence-end.js';

interface SegmentLimits {
  /** Seconds of silence that end a segment. */
  maxPause: number;
  /** Seconds. */
  maxDuration: number;
  /** UTF-16 units of text. */
  maxLength: number;
}

export const SEGMENT_LIMITS: SegmentLimits = { maxPause: 0.8, maxDuration: 30, maxLength: 250 };

/** A pause this long within speech is a better place to break than none, in seconds. */
const NOTABLE_PAUSE = 0.2;

/**
 * Words into segments: a new one after a pause, a sentence, at another speaker or language, and where it would grow too long, there at
 * the best place in its second half. Words arrive in order; no more than one segment is held.
 */
export async function* segmentWords(
  words: AsyncIterable<MergedWord> | Iterable<MergedWord>,
  options: { limits?: SegmentLimits; idOf?: (number: number) => string } = {},
): AsyncGenerator<Segment> {
  const { limits = SEGMENT_LIMITS, idOf = segmentId } = options;
  let number = 0;
  let held: MergedWord[] = [];
  for await (const word of words) {
    const last = held.at(-1);
    if (last && isBreak(last, word, limits)) {
      yield toSegment(held, idOf(++number));
      held = [];
    }
    while (isTooLong(held, word, limits)) {
      const count = bestBreak(held, word);
      yield toSegment(held.slice(0, count), idOf(++number));
      held = held.slice(count);
    }
    held.push(word);
  }
  if (held.length > 0) yield toSegment(held, idOf(++number));
}

/** `seg_000001` for 1. */
export const segmentId = (number: number): string => `seg_${String(number).padStart(6, '0')}`;

const isBreak = (last: MergedWord, next: MergedWord, { maxPause }: SegmentLimits): boolean =>
  next.start - last.end > maxPause || next.speakerId !== last.speakerId || next.language !== last.language || endsSentence(last.text, next.text);

function isTooLong(held: readonly Word[], next: Word, { maxDuration, maxLength }: SegmentLimits): boolean {
  const [first] = held;
  return first !== undefined && (next.end - first.start > maxDuration || joinWords([...held, next]).length > maxLength);
}

/** Returns the number of held words to take: up to the end of a clause or the longest pause in their second half, else all. */
function bestBreak(held: readonly Word[], following: Word): number {
  let best = held.length;
  let highest = NOTABLE_PAUSE;
  for (const [index, word] of held.entries()) {
    const count = index + 1;
    if (count < held.length / 2) continue;
    const next = held[count] ?? following;
    const score = next.start - word.end + (endsClause(word.text) ? 1 : 0);
    if (score >= highest) [best, highest] = [count, score];
  }
  return best;
}

/**
 * The language is that of the words, or else the given one.
 * @throws RangeError without words.
 */
export function toSegment(words: readonly MergedWord[], id: string, spoken?: string): Segment {
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last) throw new RangeError('A segment has at least one word.');
  const confidence = meanConfidence(words);
  const language = first.language ?? spoken;
  return {
    segmentId: id,
    start: first.start,
    end: last.end,
    ...(first.speakerId !== undefined && { speakerId: first.speakerId }),
    ...(first.channel !== undefined && { channel: first.channel }),
    text: joinWords(words),
    ...(confidence !== undefined && { confidence }),
    words: words.map(({ language: _language, isPunctuated: _isPunctuated, ...word }) => word),
    ...(language !== undefined && { language }),
  };
}

/** The mean of the words that have a confidence; undefined when none has. */
function meanConfidence(words: readonly Word[]): number | undefined {
  const known = words.flatMap(({ confidence }) => confidence ?? []);
  return known.length === 0 ? undefined : roundToMs(known.reduce((sum, confidence) => sum + confidence, 0) / known.length);
}
