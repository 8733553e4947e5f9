import { describe, expect, it } from '@jest/globals';
import type { Segment } from '@parlance/transcript';
import { translatedSegments } from './translated-segments.js';

const segment = (number: number): Segment => ({ segmentId: `seg_${number}`, start: number, end: number + 1, speakerId: 'S1', text: `said ${number}`, confidence: 0.9, words: [{ start: number, end: number + 1, text: `said ${number}` }] });

async function* spoken(numbers: readonly number[]): AsyncGenerator<Segment> {
  yield* numbers.map(segment);
}

async function* pages(numbers: readonly number[], onEnd: () => void = () => undefined) {
  try {
    for (let at = 0; at < numbers.length; at += 2) yield { segments: numbers.slice(at, at + 2).map((number) => ({ segmentId: `seg_${number}`, text: `gesagt ${number}` })) };
  } finally {
    onEnd();
  }
}

async function textsOf(segments: AsyncIterable<Segment>): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of segments) texts.push(text);
  return texts;
}

describe('a translated transcript', () => {
  it('keeps ids, times and speakers, and has words only for a document that is laid out by them', async () => {
    const kept = { segmentId: 'seg_1', start: 1, end: 2, speakerId: 'S1', text: 'gesagt 1' };
    for await (const translated of translatedSegments(spoken([1]), pages([1]), false)) expect(translated).toEqual({ ...kept, words: [] });
    for await (const { words } of translatedSegments(spoken([1]), pages([1]), true)) expect(words.map(({ text }) => text)).toEqual(['gesagt', '1']);
  });

  it('leaves the text of a segment that was added since, and leaves out what was removed', async () => {
    expect(await textsOf(translatedSegments(spoken([1, 9, 4, 5]), pages([1, 2, 3, 4, 5]), false))).toEqual(['gesagt 1', 'said 9', 'gesagt 4', 'gesagt 5']);
  });

  it('finds its texts again behind a thousand segments that were removed', async () => {
    const numbers = Array.from({ length: 1005 }, (_, index) => index);
    expect(await textsOf(translatedSegments(spoken([0, 1002, 1003]), pages(numbers), false))).toEqual(['gesagt 0', 'gesagt 1002', 'gesagt 1003']);
  });

  it('ends the reading of the translation when its reader leaves', async () => {
    let isEnded = false;
    for await (const translated of translatedSegments(spoken([1, 2, 3]), pages([1, 2, 3], () => (isEnded = true)), false)) if (translated.start === 1) break;
    expect(isEnded).toBe(true);
  });
});
