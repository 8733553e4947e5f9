import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { splitAtPauses } from './split-at-pauses.js';

/** Seconds of sound and silence in turn, sound first. */
const signal = (...seconds: number[]): Int16Array =>
  Int16Array.from(
    seconds.flatMap((length, turn) =>
      Array.from({ length: Math.round(length * 16_000) }, (_, index) => (turn % 2 === 0 ? Math.round(8000 * Math.sin(index / 7)) : 0)),
    ),
  );

describe('splitAtPauses', () => {
  it('cuts in the middle of a pause', () => {
    const [first, second, ...more] = splitAtPauses(signal(8, 0.6, 3));
    expect((first?.to ?? 0) / 16_000).toBeCloseTo(8.3, 1);
    expect(second?.to).toBe(11.6 * 16_000);
    expect(more).toEqual([]);
  });

  it('keeps short utterances together and lets short pauses be', () => {
    expect(splitAtPauses(signal(0.5, 0.6, 0.5, 0.1, 0.5))).toHaveLength(1);
  });

  it('leaves silence whole', () => {
    expect(splitAtPauses(new Int16Array(160_000))).toEqual([{ from: 0, to: 160_000 }]);
  });

  it('covers the audio without a gap, whatever it holds', () => {
    const turns = fc.array(fc.double({ min: 0.01, max: 3, noNaN: true }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(turns, (seconds) => {
        const samples = signal(...seconds);
        const pieces = splitAtPauses(samples);
        expect(pieces[0]?.from).toBe(0);
        expect(pieces.at(-1)?.to).toBe(samples.length);
        for (const [index, piece] of pieces.entries()) if (index > 0) expect(piece.from).toBe(pieces[index - 1]?.to);
      }),
      { numRuns: 30 },
    );
  });
});
