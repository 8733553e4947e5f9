import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { gateWords } from './speech-gate.js';

const word = (start: number, end: number, text = 'word') => ({ start, end, text });

describe('gateWords', () => {
  it('drops what an engine made up in a silence and keeps what was said', () => {
    const said = word(1.1, 1.5, 'hello');
    expect(gateWords([said, word(4, 4.4, 'thanks')], [{ start: 1, end: 2 }])).toEqual([said]);
  });

  it('keeps a first word that an engine stretched back over a silence', () => {
    expect(gateWords([word(0, 3.8)], [{ start: 3.5, end: 5 }])).toHaveLength(1);
  });

  it('lets words lie beside a region by the tolerance and no more', () => {
    const region = { start: 2, end: 3 };
    expect(gateWords([word(1.5, 1.75), word(3.25, 3.5)], [region])).toHaveLength(2);
    expect(gateWords([word(1.4, 1.6), word(3.4, 3.5)], [region])).toEqual([]);
  });

  const time = fc.double({ min: 0, max: 60, noNaN: true });
  const interval = fc.tuple(time, time).map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }));
  const words = fc.array(interval.map((at) => ({ ...at, text: 'word' })), { maxLength: 30 });

  it('never invents, changes or reorders a word, and drops nothing that touches a region', () => {
    fc.assert(
      fc.property(words, fc.array(interval, { maxLength: 6 }), (given, regions) => {
        const kept = gateWords(given, regions);
        expect(kept).toEqual(given.filter((one) => kept.includes(one)));
        const touching = given.filter((one) => regions.some(({ start, end }) => one.start <= end && one.end >= start));
        for (const one of touching) expect(kept).toContain(one);
      }),
    );
  });

  it('keeps nothing without regions and everything in one that spans all', () => {
    fc.assert(
      fc.property(words, (given) => {
        expect(gateWords(given, [])).toEqual([]);
        expect(gateWords(given, [{ start: 0, end: 60 }])).toEqual(given);
      }),
    );
  });
});
