import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PlannedChunk } from '../chunk-plan.js';
import { collect, spoken, streamOf } from '../testing/streams.js';
import type { Word } from '../transcript.js';
import { mergeChunks, type ChunkWords } from './merge-chunks.js';

const textsOf = (words: readonly Word[]) => words.map((word) => word.text).join(' ');

const chunkOf = (index: number, start: number, end: number, ownStart = start, ownEnd = end): PlannedChunk => ({
  index,
  start,
  end,
  ownStart,
  ownEnd,
  speech: [{ start, end }],
  audioKey: `chunk/${index}`,
});

const merge = (results: ChunkWords[], duration: number) => collect(mergeChunks(streamOf(results), { duration }));

const at = (start: number, end: number, text: string): Word => ({ start, end, text, confidence: 1 });

describe('mergeChunks', () => {
  it('puts chunks that were cut in silence one behind the other', async () => {
    const words = await merge(
      [
        { chunk: chunkOf(0, 0, 10), words: spoken('one two') },
        { chunk: chunkOf(1, 10, 20), words: spoken('three four') },
      ],
      20,
    );
    expect(textsOf(words)).toBe('one two three four');
    expect(words[2]).toMatchObject({ start: 10, end: 10.3 });
  });

  it('takes a word on the boundary that both heard at slightly different times once', async () => {
    const words = await merge(
      [
        { chunk: chunkOf(0, 0, 11, 0, 10), words: [at(8, 8.3, 'before'), at(9.86, 10.2, 'hello')] },
        { chunk: chunkOf(1, 9, 20, 10, 20), words: [at(0.8, 1.16, 'Hello,'), at(2, 2.3, 'after')] },
      ],
      20,
    );
    expect(words.map(({ text }) => text.toLowerCase().replace(',', ''))).toEqual(['before', 'hello', 'after']);
  });

  it('finds the same letters of a script without spaces, however each engine call cut them into words', async () => {
    const words = await merge(
      [
        { chunk: chunkOf(0, 0, 11, 0, 10), words: [at(8, 8.4, '大'), at(8.4, 8.8, '家'), at(8.8, 9.2, '好'), at(9.2, 9.6, '今'), at(9.6, 10, '天'), at(10, 10.4, '开'), at(10.4, 10.8, '会')] },
        { chunk: chunkOf(1, 9, 20, 10, 20), words: [at(0.2, 1, '今天'), at(1, 1.8, '开会'), at(1.8, 2.6, '讨论')] },
      ],
      20,
    );
    expect(words.map(({ text }) => text).join('')).toBe('大家好今天开会讨论');
  });

  it('makes a capital small that only the beginning of a chunk gave a word', async () => {
    const heard = (first: string, ...second: Word[]) =>
      merge(
        [
          { chunk: chunkOf(0, 0, 10), words: [at(8, 8.4, 'we'), at(8.4, 8.8, 'saw'), at(9.4, 9.8, first)] },
          { chunk: chunkOf(1, 10, 20), words: second },
        ],
        20,
      ).then(textsOf);
    expect(await heard('and', at(0.1, 0.4, 'Then'), at(0.5, 0.8, 'then'))).toBe('we saw and then then');
    expect(await heard('and', at(0.1, 0.4, 'Anna'), at(0.5, 0.8, 'then'))).toBe('we saw and Anna then');
    expect(await heard('it.', at(0.1, 0.4, 'Then'), at(0.5, 0.8, 'then'))).toBe('we saw it. Then then');
    expect(await heard('and', at(2, 2.4, 'Then'), at(2.5, 2.8, 'then'))).toBe('we saw and Then then');
  });

  it.each([
    ['İstanbul', 'istanbul'],
    ['STRASSE', 'Straße'],
    ['ΟΔΟΣ', 'οδός'.normalize('NFD').replaceAll('\u0301', '')],
    ['مُحَمَّد', 'محمد'],
    ['שָׁלוֹם', 'שלום'],
  ])('knows %s and %s for one word', async (left, right) => {
    const words = await merge(
      [
        { chunk: chunkOf(0, 0, 11, 0, 10), words: [at(9.8, 10.2, left)] },
        { chunk: chunkOf(1, 9, 20, 10, 20), words: [at(1.1, 1.5, right)] },
      ],
      20,
    );
    expect(words).toHaveLength(1);
  });

  it('takes a word once that the two heard as different words', async () => {
    const words = await merge(
      [
        { chunk: chunkOf(0, 0, 11, 0, 10), words: [at(9.82, 10.12, 'yellow')] },
        { chunk: chunkOf(1, 9, 20, 10, 20), words: [at(0.9, 1.2, 'hello')] },
      ],
      20,
    );
    expect(words).toHaveLength(1);
  });

  it('keeps a word near the boundary that only one chunk heard', async () => {
    const words = await merge(
      [
        { chunk: chunkOf(0, 0, 11, 0, 10), words: [] },
        { chunk: chunkOf(1, 9, 20, 10, 20), words: [at(0.8, 1.1, 'hello')] },
      ],
      20,
    );
    expect(textsOf(words)).toBe('hello');
  });

  it('tells repetitions of a word apart by their times', async () => {
    const all = spoken('no no no no no no no no no no no no', { start: 8 });
    const words = await merge(
      [
        { chunk: chunkOf(0, 0, 11, 0, 10), words: all.filter(({ end }) => end <= 11) },
        { chunk: chunkOf(1, 9, 20, 10, 20), words: all.filter(({ start }) => start >= 9).map((word) => ({ ...word, start: word.start - 9, end: word.end - 9 })) },
      ],
      20,
    );
    expect(words.map(({ start, end }) => [start, end])).toEqual(all.map(({ start, end }) => [start, end]));
  });

  it('ends a word where the next begins, and at the end of the media', async () => {
    const words = await merge([{ chunk: chunkOf(0, 0, 10), words: [at(1, 9, 'long'), at(2, 2.5, 'short'), at(9.9, 12, 'last')] }], 9.95);
    expect(words.map(({ start, end }) => [start, end])).toEqual([
      [1, 2],
      [2, 2.5],
      [9.9, 9.95],
    ]);
  });

  it('gives no words for no chunks and for silent ones', async () => {
    expect(await merge([], 0)).toEqual([]);
    expect(await merge([{ chunk: chunkOf(0, 0, 10), words: [] }], 10)).toEqual([]);
  });

  it('gives the words exactly, whatever the cuts, the jitter and the garbled edges', async () => {
    await fc.assert(
      fc.asyncProperty(recording(), async ({ words, results, duration }) => {
        const merged = await merge(results, duration);
        expect(textsOf(merged)).toBe(textsOf(words));
      }),
      { numRuns: 300 },
    );
  });

  it('gives times that never go back and stay inside the media, whatever the engine says', async () => {
    await fc.assert(
      fc.asyncProperty(nonsense(), async ({ results, duration }) => {
        let last = 0;
        for (const { start, end } of await merge(results, duration)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThanOrEqual(start);
          expect(end).toBeLessThanOrEqual(duration);
          last = end;
        }
      }),
    );
  });
});

const VOCABULARY = ['yes', 'no', 'the', 'river', 'and', 'mountain', 'we', 'saw'];

/** Milliseconds by which one engine call may place a word elsewhere than another. */
const JITTER = 40;

/** Words of a recording and what chunks of it hear: each word whole inside the audio exactly, up to jitter; a word cut by the edge garbled or not at all. */
function recording() {
  const lengths = fc.array(fc.record({ text: fc.constantFrom(...VOCABULARY), length: fc.integer({ min: 180, max: 600 }), gap: fc.integer({ min: 0, max: 500 }) }), {
    minLength: 1,
    maxLength: 120,
    size: 'max',
  });
  return fc
    .record({
      lengths,
      chunkLength: fc.integer({ min: 6000, max: 15_000 }),
      overlap: fc.integer({ min: 2500, max: 4000 }),
      noise: fc.array(fc.integer({ min: -JITTER, max: JITTER }), { minLength: 31, maxLength: 31 }),
      garble: fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
    })
    .map(({ lengths, chunkLength, overlap, noise, garble }) => {
      const words: Word[] = [];
      let time = 100;
      for (const { text, length, gap } of lengths) {
        words.push(at(time / 1000, (time + length) / 1000, text));
        time += length + gap;
      }
      const duration = time + 100;
      let draws = 0;
      const jitter = () => noise[draws++ % noise.length]!;
      const results: ChunkWords[] = [];
      // The hardest place for a boundary is the middle of a word.
      const boundaries = [0];
      for (const word of words) {
        const middle = Math.round((word.start + word.end) * 500);
        if (middle - boundaries.at(-1)! >= chunkLength) boundaries.push(middle);
      }
      for (const from of boundaries) {
        const to = boundaries[results.length + 1] ?? duration;
        const isLast = to === duration;
        const start = Math.max(0, from - overlap / 2);
        const end = isLast ? duration : Math.min(duration, to + overlap / 2);
        const chunk = chunkOf(results.length, start / 1000, end / 1000, from / 1000, to / 1000);
        const heard: Word[] = [];
        for (const word of words) {
          const [wordStart, wordEnd] = [word.start * 1000, word.end * 1000];
          if (wordEnd <= start || wordStart >= end) continue;
          const isWhole = wordStart >= start && wordEnd <= end;
          if (!isWhole && garble[draws++ % garble.length]) continue;
          const shifted = { start: Math.max(wordStart, start) + (isWhole ? jitter() : 0), end: Math.min(wordEnd, end) + (isWhole ? jitter() : 0) };
          heard.push({ ...word, text: isWhole ? word.text : 'uh', start: (shifted.start - start) / 1000, end: (shifted.end - start) / 1000 });
        }
        results.push({ chunk, words: heard });
      }
      return { words, results, duration: duration / 1000 };
    });
}

/** Engines that place words anywhere, in any order. */
function nonsense() {
  const word = fc.record({
    start: fc.double({ min: -5, max: 40, noNaN: true }),
    end: fc.double({ min: -5, max: 40, noNaN: true }),
    text: fc.constantFrom(...VOCABULARY, ' '),
    confidence: fc.constant(0.5),
  });
  return fc.record({ words: fc.array(fc.array(word, { maxLength: 20 }), { maxLength: 5 }), overlap: fc.constantFrom(0, 2, 5) }).map(({ words, overlap }) => {
    const duration = words.length * 20;
    const results = words.map((heard, index) => {
      const [from, to] = [index * 20, (index + 1) * 20];
      return { chunk: chunkOf(index, Math.max(0, from - overlap), Math.min(duration, to + overlap), from, to), words: heard };
    });
    return { results, duration };
  });
}
