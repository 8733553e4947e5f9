import { joinWords } from '../segments/join-words.js';
import { toSegment } from '../segments/segment-words.js';
import type { Segment, Word } from '../transcript.js';
import { identifiedWords, wordIdOf } from './word-ids.js';

/** The place at which a segment is split: before a word, or at a time in seconds. */
export type SplitPoint = { wordId: string } | { time: number };

/** @returns the index of the first word of the second part; undefined when a part would have no words */
export function splitIndex({ segmentId, words }: Segment, point: SplitPoint): number | undefined {
  const isFirst = (word: Word, index: number) => ('wordId' in point ? wordIdOf(segmentId, word, index) === point.wordId : (word.start + word.end) / 2 >= point.time);
  const index = words.findIndex(isFirst);
  return index > 0 ? index : undefined;
}

/** Two segments in place of one: the first keeps the id, its words keep theirs. */
export function splitSegment(segment: Segment, index: number, secondId: string): [Segment, Segment] {
  const words = identifiedWords(segment);
  return [partOf(segment, words.slice(0, index), segment.segmentId), partOf(segment, words.slice(index), secondId)];
}

/** One segment in place of several that follow one another: it has the id and the speaker of the first. */
export function mergedSegment(segments: readonly [Segment, ...Segment[]]): Segment {
  const [first] = segments;
  const words = segments.flatMap(identifiedWords);
  const text = joinWords(segments);
  const end = Math.max(...segments.map((segment) => segment.end));
  if (words.length === 0) return { ...first, end, text };
  return { ...withSpeaker({ ...partOf(first, words, first.segmentId), text }, first.speakerId), end };
}

/** The segment and its words as said by this speaker. */
export function withSpeaker({ speakerId: _former, words, ...segment }: Segment, speakerId: string | undefined): Segment {
  const speaker = speakerId === undefined ? {} : { speakerId };
  return { ...segment, ...speaker, words: words.map(({ speakerId: _old, ...word }) => ({ ...word, ...speaker })) };
}

function partOf(segment: Segment, words: Word[], id: string): Segment {
  return { ...toSegment(words, id, segment.language), ...(segment.speakerId !== undefined && { speakerId: segment.speakerId }) };
}
