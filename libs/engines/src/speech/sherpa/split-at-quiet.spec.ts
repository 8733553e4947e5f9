import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { splitAtQuiet } from './split-at-quiet.js';

/** Seconds of sound and silence in turn, sound first. */
function signal(...seconds: number[]): Int16Array {
  const lengths = seconds.map((length) => Math.round(length * 16_000));
  const samples = new Int16Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const [turn, length] of lengths.entries()) {
    for (let index = 0; index < (turn % 2 === 0 ? length : 0); index += 1) samples[at + index] = 8000 * Math.sin(index / 7);
    at += length;
  }
  return samples;
}
const seconds = (samples: number) => samples / 16_000;

describe('splitAtQuiet', () => {
  it('leaves whole what the model hears at once', () => {
    expect(splitAtQuiet(signal(5, 1, 4), 10)).toEqual([{ from: 0, to: 160_000 }]);
  });

  it('cuts in the last pause that leaves the piece short enough', () => {
    const cuts = splitAtQuiet(signal(2, 0.5, 3.5, 0.5, 2, 0.5, 3), 10).map(({ to }) => seconds(to));
    expect(cuts).toHaveLength(2);
    expect(cuts[0]).toBeGreaterThan(8.5);
    expect(cuts[0]).toBeLessThan(9);
  });

  it('cuts somewhere where there is no pause', () => {
    expect(splitAtQuiet(signal(25), 10).length).toBeLessThanOrEqual(5);
  });

  it('covers the audio without a gap in pieces that are neither too long nor needlessly short', () => {
    const turns = fc.array(fc.double({ min: 0.05, max: 1, noNaN: true }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(turns, fc.double({ min: 0.6, max: 2, noNaN: true }), (lengths, most) => {
        const samples = signal(...lengths);
        const pieces = splitAtQuiet(samples, most);
        expect(pieces[0]?.from).toBe(0);
        expect(pieces.at(-1)?.to).toBe(samples.length);
        for (const [index, { from, to }] of pieces.entries()) {
          if (index > 0) expect(from).toBe(pieces[index - 1]?.to);
          expect(seconds(to - from)).toBeLessThanOrEqual(most);
          if (index < pieces.length - 1) expect(seconds(to - from)).toBeGreaterThanOrEqual(most / 2 - 0.01);
        }
      }),
      { numRuns: 30 },
    );
  });
});
