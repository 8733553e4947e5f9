import type { MergedWord } from '../merge/merge-chunks.js';
import type { Segment, Word } from '../transcript.js';
import { segmentWords } from '../segments/segment-words.js';

/** For tests: an array as a stream. */
export async function* streamOf<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

/** For tests: a stream as an array. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** For tests: words of 0.3 s, 0.1 s apart, unless a number in the text says how many seconds of silence are there: 'one two 1.5 three'. */
export function spoken(text: string, options: { start?: number; speakerId?: string } = {}): Word[] {
  const { start = 0, speakerId } = options;
  const words: Word[] = [];
  let time = start * 1000;
  for (const part of text.split(' ')) {
    if (/^\d+(\.\d+)?$/.test(part)) time += Number(part) * 1000 - 100;
    else {
      words.push({ start: time / 1000, end: (time + 300) / 1000, text: part, confidence: 0.9, ...(speakerId !== undefined && { speakerId }) });
      time += 400;
    }
  }
  return words;
}

export const segmentsOf = (words: Iterable<MergedWord>): Promise<Segment[]> => collect(segmentWords(words));
