import { describe, expect, it } from '@jest/globals';
import type { LiveFinals } from '@parlance/contracts';
import { segmentId } from '@parlance/transcript';
import fc from 'fast-check';
import { chunkOfFinals, finalSegments } from './live-chunk.js';

/** Finals in order of time, in whole milliseconds, without overlap, of any length and with any number of words. */
const finals = fc.array(fc.record({ pause: fc.integer({ min: 0, max: 30_000 }), length: fc.integer({ min: 1, max: 40_000 }), words: fc.integer({ min: 0, max: 5 }), language: fc.constantFrom('en', 'de', undefined) }), { maxLength: 20 }).map((drawn) => {
  let at = 0;
  return drawn.map(({ pause, length, words, language }, nth) => {
    const [start, end] = [at + pause, at + pause + length];
    at = end;
    const step = length / Math.max(words, 1);
    const spoken = Array.from({ length: words }, (_, word) => ({ text: `${nth}.${word}`, start: Math.floor(start + word * step) / 1000, end: Math.floor(start + (word + 1) * step) / 1000 }));
    return { start: start / 1000, end: end / 1000, words: spoken, ...(language !== undefined && { language }) };
  });
});

/** Own ranges that tile the media; the audio of a chunk reaches past them. */
const plans = fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 12 }).map((lengths) => {
  let at = 0;
  return lengths.map((length, index) => {
    const [ownStart, ownEnd] = [at / 1000, (at + length) / 1000];
    at += length;
    return { index, start: Math.max(0, ownStart - 1), ownStart, ownEnd };
  });
});

describe('the chunks of a live session', () => {
  it('have each final once, whole and in order, however the session is cut', () => {
    fc.assert(
      fc.property(finals, plans, (given, chunks) => {
        const results = chunks.map((chunk) => ({ start: chunk.start, ...chunkOfFinals({ engine: 'fixture', finals: given }, chunk, chunk.index === chunks.length - 1) }));
        const segments = results.flatMap((result) => [...finalSegments(result, segmentId)]);
        const spoken = given.filter(({ words }) => words.length > 0);
        expect(segments.map(({ words }) => words)).toEqual(spoken.map(({ words }) => words));
        expect(segments.map(({ language }) => language)).toEqual(spoken.map(({ language }) => language));
      }),
    );
  });

  it('have the engine and the language of most of the finals, and gave no audio to an engine', () => {
    const said = (start: number, language: string): LiveFinals['finals'][number] => ({ start, end: start + 1, language, words: [{ text: 'so', start, end: start + 0.5 }] });
    const chunk = { index: 0, start: 0, ownStart: 0, ownEnd: 30 };
    expect(chunkOfFinals({ engine: 'sherpa-online:x', finals: [said(1, 'de'), said(3, 'en'), said(5, 'en')] }, chunk, true)).toMatchObject({ engine: 'sherpa-online:x', language: 'en', speechSeconds: 3, audioSeconds: 0, processingSeconds: 0 });
  });

  it('say whether a model punctuated any of their finals', () => {
    const said = (start: number, isPunctuated: boolean) => ({ start, end: start + 1, isPunctuated, words: [{ text: 'So.', start, end: start + 0.5 }] });
    const of = (...finals: LiveFinals['finals']) => chunkOfFinals({ engine: 'fixture', finals }, { index: 0, start: 0, ownStart: 0, ownEnd: 30 }, true).isPunctuated;
    expect([of(said(1, false), said(3, true)), of(said(1, false)), of()]).toEqual([true, undefined, undefined]);
  });
});
