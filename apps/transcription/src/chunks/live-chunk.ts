import type { LiveFinals } from '@parlance/contracts';
import { roundToMs, toSegment, type PlannedChunk, type Segment } from '@parlance/transcript';
import type { TranscribedChunk } from './transcribed-chunk.js';

type Final = LiveFinals['finals'][number];

/** The words of the finals that start in the chunk's own range, each whole. The last chunk also has those that start behind it. */
export function chunkOfFinals({ engine, finals }: LiveFinals, { start, ownStart, ownEnd, index }: Pick<PlannedChunk, 'start' | 'ownStart' | 'ownEnd' | 'index'>, isLast: boolean): TranscribedChunk {
  const own = finals.filter((final) => (index === 0 || final.start >= ownStart) && (isLast || final.start < ownEnd) && final.words.length > 0);
  const language = mostSpoken(own);
  return {
    words: own.flatMap(({ words }) => words.map((word) => ({ ...word, start: roundToMs(word.start - start), end: roundToMs(word.end - start) }))),
    speechSeconds: secondsOf(own),
    audioSeconds: 0,
    processingSeconds: 0,
    engine,
    ...(language !== undefined && { language }),
    ...(own.some(({ isPunctuated }) => isPunctuated) && { isPunctuated: true }),
    finals: own.map(({ words, language: spoken }) => ({ words: words.length, ...(spoken !== undefined && { language: spoken }) })),
    warnings: [],
  };
}

/** The finals of a chunk as segments, with their times in the media. @param idOf the id of the segment with this number, from 1 */
export function* finalSegments({ start, words, finals = [] }: Pick<TranscribedChunk, 'words' | 'finals'> & { start: number }, idOf: (number: number) => string): Generator<Segment> {
  let from = 0;
  for (const [nth, { words: count, language }] of finals.entries()) {
    const spoken = words.slice(from, from + count).map((word) => ({ ...word, start: roundToMs(start + word.start), end: roundToMs(start + word.end), ...(language !== undefined && { language }) }));
    from += count;
    yield toSegment(spoken, idOf(nth + 1));
  }
}

const secondsOf = (finals: readonly Final[]): number => roundToMs(finals.reduce((sum, { start, end }) => sum + end - start, 0));

function mostSpoken(finals: readonly Final[]): string | undefined {
  const byLanguage = Map.groupBy(finals, ({ language }) => language);
  return [...byLanguage].toSorted(([, one], [, other]) => secondsOf(other) - secondsOf(one))[0]?.[0];
}
