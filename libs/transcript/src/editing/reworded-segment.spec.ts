import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Segment, Word } from '../transcript.js';
import { rewordedSegment } from './reworded-segment.js';

const WORDS = 'we sold the house by the river'.split(' ');

/** A word a second, each of 0.8 s. */
const segmentOf = (texts: readonly string[]): Segment => {
  const words: Word[] = texts.map((text, index) => ({ start: index, end: index + 0.8, text, confidence: 0.9 }));
  return { segmentId: 'seg_000012', start: 0, end: texts.length, text: texts.join(' '), words };
};

const reworded = (text: string, texts = WORDS): Word[] => {
  let added = 0;
  return rewordedSegment(segmentOf(texts), text, () => `new.${++added}`).words;
};

describe('a segment with another text', () => {
  it('keeps id, time and confidence of equal words, and of those that differ in case and punctuation', () => {
    const words = reworded('We sold the house, by the river.');
    expect(words.map(({ wordId }) => wordId)).toEqual(WORDS.map((_, index) => `12.${index + 1}`));
    expect(words[3]).toEqual({ start: 3, end: 3.8, text: 'house,', confidence: 0.9, wordId: '12.4' });
  });

  it('gives a word that replaces another its id and its time, as an estimate', () => {
    expect(reworded('we sold the mouse by the river')[3]).toEqual({ start: 3, end: 3.8, text: 'mouse', wordId: '12.4', estimated: true });
  });

  it('spreads more words over the time of those that they replace, by their length', () => {
    const [, , , first, second] = reworded('we sold the old farmhouses by the river');
    expect([first, second]).toEqual([
      { start: 3, end: 3.185, text: 'old', wordId: 'new.1', estimated: true },
      { start: 3.185, end: 3.8, text: 'farmhouses', wordId: 'new.2', estimated: true },
    ]);
  });

  it('puts inserted words into the pause', () => {
    expect(reworded('we sold the house quickly by the river')[4]).toMatchObject({ start: 3.8, end: 4, text: 'quickly', estimated: true });
  });

  it('gives words that are inserted where there is no pause the edge of their neighbour, which keeps its own time', () => {
    const words: Word[] = WORDS.map((text, index) => ({ start: index, end: index + 1, text }));
    const segment: Segment = { segmentId: 'seg_000012', start: 0, end: words.length, text: WORDS.join(' '), words };
    const of = (text: string) => rewordedSegment(segment, text, () => 'new').words.flatMap(({ start, end, estimated }) => (estimated ? [[start, end]] : []));
    expect(of('we sold off the house by the river')).toEqual([[1.95, 2]]);
    expect(of('So we sold the house by the river')).toEqual([[0, 0.05]]);
    expect(of('we sold the house by the river today')).toEqual([[6.95, 7]]);
    expect(of('we sold off the whole house by the river')).toEqual([[1.95, 2], [2.95, 3]]);
    const many = of(`we sold ${'very '.repeat(150)}house by the river`);
    expect(many).toHaveLength(150);
    expect(many.every(([start = 0, end = 0]) => end > start)).toBe(true);
  });

  it('has the words of its text, in order of time, within its bounds', () => {
    const texts = fc.array(fc.constantFrom('we', 'sold', 'house', 'river', 'Ada', 'x,', '2'), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(texts, texts, (old, next) => {
        const words = reworded(next.join(' '), old);
        expect(words.map(({ text }) => text)).toEqual(next);
        for (const times of [words.map(({ start }) => start), words.map(({ end }) => end)]) {
          expect(times).toEqual(times.toSorted((one, other) => one - other));
          expect(times.every((time) => time >= 0 && time <= old.length)).toBe(true);
        }
        expect(words.every(({ start, end }) => end > start)).toBe(true);
      }),
    );
  });
});
