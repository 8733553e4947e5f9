import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { blocksOfAudio } from './blocks-of-audio.js';
import { namedTurns } from './named-turns.js';
import { VoiceLinker, type BlockVoice } from './voice-linker.js';

/** A voice in a direction of its own, with a little of all others. */
const voice = (person: number, noise = 0, seconds = 5): BlockVoice => ({
  embedding: Float32Array.from({ length: 8 }, (_, at) => (at === person ? 1 : 0) + 0.1 * Math.sin(noise * 7 + at)),
  seconds,
});
const link = (blocks: BlockVoice[][], bounds = {}) => {
  const linker = new VoiceLinker(0.5);
  const numbers = blocks.flatMap((block) => linker.add(block));
  expect(numbers).toEqual(numbers.map((_, index) => index));
  return linker.people(bounds);
};

describe('VoiceLinker', () => {
  it('finds the same people in other blocks, in whatever order', () => {
    const [a, b, c, d, e] = link([[voice(0, 1), voice(1, 2)], [voice(1, 3), voice(2, 4)], [voice(0, 5)]]);
    expect([a === e, b === c, new Set([a, b, d]).size]).toEqual([true, true, 3]);
  });

  it('lets no short voice make a person, and knows nothing of one without an embedding', () => {
    const people = link([[voice(0), voice(1), { ...voice(2), seconds: 0.4 }], [{ embedding: undefined, seconds: 0.05 }]]);
    expect(new Set(people.slice(0, 3)).size).toBe(2);
    expect(people[3]).toBeUndefined();
    // Where there is nothing else, short ones do.
    expect(new Set(link([[voice(0, 0, 0.5), voice(1, 0, 0.5)]])).size).toBe(2);
  });

  it('keeps to bounds', () => {
    expect(new Set(link([[voice(0), voice(1), voice(2)]], { maxSpeakers: 2 })).size).toBe(2);
    expect(new Set(link([[voice(0, 1)], [voice(0, 2)]], { minSpeakers: 2 })).size).toBe(2);
  });

  it('tells people apart over more voices than it holds', () => {
    const people = link(Array.from({ length: 140 }, (_, block) => [voice(block % 5, block), voice((block + 1) % 5, block + 0.5)]));
    expect(new Set(people).size).toBe(5);
    for (let block = 5; block < 140; block += 1) expect(people[2 * block]).toBe(people[2 * (block - 5)]);
  });
});

describe('namedTurns', () => {
  it('names people as they first speak, joins what a block or a breath parted, and gives turns of nobody to who spoke last', () => {
    const turns = [
      { start: 5, end: 6, person: 0 },
      { start: 0, end: 2, person: 3 },
      { start: 2.3, end: 4, person: 3 },
      { start: 3.5, end: 4.5, person: 0 },
      { start: 7, end: 7.5, person: undefined },
    ];
    expect(namedTurns(turns)).toEqual([
      { start: 0, end: 4, speakerId: 'S1' },
      { start: 3.5, end: 6, speakerId: 'S2' },
      { start: 7, end: 7.5, speakerId: 'S2' },
    ]);
  });
});

describe('blocksOfAudio', () => {
  it('passes on each sample once, whatever overlaps, in blocks of bounded length', async () => {
    const piece = fc.record({ length: fc.integer({ min: 1, max: 30_000 }), overlap: fc.integer({ min: 0, max: 900 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 6 }), async (plan) => {
        const samples = Int16Array.from({ length: 200_000 }, (_, index) => index % 32_003);
        let until = 0;
        async function* audio() {
          for (const { length, overlap } of plan) {
            const from = Math.max(0, until - overlap);
            until = Math.max(until, from + length);
            const bytes = new Uint8Array(samples.buffer, from * 2, length * 2);
            yield { start: from / 16_000, pcm: (async function* whole() { yield bytes; })(), speech: [] };
          }
        }
        const heard: number[] = [];
        for await (const block of blocksOfAudio(audio(), 1)) {
          expect(block.samples.length).toBeLessThanOrEqual(32_000);
          expect(Math.round(block.start * 16_000)).toBe(heard.length);
          for (const sample of block.samples) heard.push(sample);
        }
        expect(heard.length).toBe(until);
        expect(heard.every((sample, index) => sample === samples[index])).toBe(true);
      }),
      { numRuns: 10 },
    );
  });
});
