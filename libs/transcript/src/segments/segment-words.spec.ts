import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { segmentsOf, spoken } from '../testing/streams.js';
import { SEGMENT_LIMITS, segmentWords } from './segment-words.js';

const textsOf = async (text: string) => (await segmentsOf(spoken(text))).map((segment) => segment.text);

describe('segmentWords', () => {
  it('begins a new segment after a pause', async () => {
    expect(await textsOf('one two 1.2 three')).toEqual(['one two', 'three']);
  });

  it('begins a new segment after a sentence, not after an abbreviation', async () => {
    expect(await textsOf('Ask Dr. Jones. He knows.')).toEqual(['Ask Dr. Jones.', 'He knows.']);
  });

  it('begins a new segment at another speaker', async () => {
    const words = [...spoken('one two', { speakerId: 'spk_1' }), ...spoken('three', { start: 0.8, speakerId: 'spk_2' })];
    expect((await segmentsOf(words)).map(({ speakerId, text }) => [speakerId, text])).toEqual([
      ['spk_1', 'one two'],
      ['spk_2', 'three'],
    ]);
  });

  it('begins a new segment at another language, which the segment has instead of its words', async () => {
    const words = [...spoken('one two').map((word) => ({ ...word, language: 'en' })), ...spoken('drei', { start: 0.8 }).map((word) => ({ ...word, language: 'de' }))];
    const segments = await segmentsOf(words);
    expect(segments.map(({ language, text }) => [language, text])).toEqual([
      ['en', 'one two'],
      ['de', 'drei'],
    ]);
    for (const word of segments.flatMap((segment) => segment.words)) expect(word).not.toHaveProperty('language');
  });

  it('has no confidence without that of a word, and else the mean of those that have one', async () => {
    const none = spoken('one two').map(({ confidence: _confidence, ...word }) => word);
    expect((await segmentsOf(none))[0]).not.toHaveProperty('confidence');
    const [some] = await segmentsOf(none.map((word, index) => (index === 0 ? { ...word, confidence: 0.4 } : word)));
    expect(some?.confidence).toBe(0.4);
  });

  it('numbers them, and gives times and the mean confidence of the words', async () => {
    const [first, second] = await segmentsOf(spoken('one two 2 three').map((word, index) => ({ ...word, confidence: index / 2 })));
    expect(first).toMatchObject({ segmentId: 'seg_000001', start: 0, end: 0.7, confidence: 0.25 });
    expect(second).toMatchObject({ segmentId: 'seg_000002', start: 2.7, confidence: 1 });
  });

  it('breaks a long run at the end of a clause rather than anywhere', async () => {
    const run = `${'word '.repeat(35)}so, ${'word '.repeat(60)}`.trim();
    const [first] = await textsOf(run);
    expect(first!.endsWith('so,')).toBe(true);
  });

  it('writes Japanese and Thai without spaces, and English with them', async () => {
    expect(await textsOf('今日 は 、 良い 天気')).toEqual(['今日は、良い天気']);
    expect(await textsOf('สวัสดี ครับ')).toEqual(['สวัสดีครับ']);
    expect(await textsOf('안녕 하세요')).toEqual(['안녕 하세요']);
    expect(await textsOf('well , yes')).toEqual(['well, yes']);
  });

  it('keeps every word once, in order, within the limits', async () => {
    const words = fc.array(fc.record({ text: fc.constantFrom('a', 'river', 'Stop.', 'then,', '東京', 'x'.repeat(300)), pause: fc.integer({ min: 0, max: 1500 }) }), { size: 'max', maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(words, async (drawn) => {
        let time = 0;
        const stream = drawn.map(({ text, pause }) => {
          const start = (time += pause) / 1000;
          return { start, end: (time += 300) / 1000, text, confidence: 1 };
        });
        const segments = await segmentsOf(stream);
        expect(segments.flatMap((segment) => segment.words)).toEqual(stream);
        for (const { words, start, end, text } of segments) {
          if (words.length === 1) continue;
          expect(end - start).toBeLessThanOrEqual(SEGMENT_LIMITS.maxDuration);
          expect(text.length).toBeLessThanOrEqual(SEGMENT_LIMITS.maxLength);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('gives no segment for no words', async () => {
    for await (const segment of segmentWords([])) throw new Error(`unexpected ${segment.segmentId}`);
  });
});
