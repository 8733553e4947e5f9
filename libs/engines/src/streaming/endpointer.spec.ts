import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toMilliseconds } from '../speech/pcm-format.js';
import { WINDOW_SECONDS } from '../voice-activity/speech-probabilities.js';
import { Endpointer, type SpokenStretch } from './endpointer.js';

const options = { silenceMs: 500, maxUtteranceMs: 5000 };
/** Probabilities of so many windows each. */
const windows = (...runs: [probability: number, count: number][]): number[] => runs.flatMap(([probability, count]) => Array<number>(count).fill(probability));

function stretchesOf(probabilities: readonly number[]): SpokenStretch[] {
  const endpointer = new Endpointer(options);
  const stretches = probabilities.flatMap((probability) => endpointer.accept(probability) ?? []);
  return [...stretches, ...[endpointer.endNow('end') ?? []].flat()];
}

describe('Endpointer', () => {
  it('ends an utterance after the pause, with some audio before and after its speech', () => {
    // Speech from 1.6 s to 3.2 s.
    const [stretch, ...others] = stretchesOf(windows([0.1, 50], [0.9, 50], [0.1, 50]));
    expect(others).toEqual([]);
    expect(stretch).toMatchObject({ endpoint: 'silence' });
    expect(stretch?.start).toBeCloseTo(1.35, 2);
    expect(stretch?.end).toBeCloseTo(3.4, 2);
  });

  it('takes no click for speech', () => {
    expect(stretchesOf(windows([0.1, 10], [0.9, 2], [0.1, 30], [0.9, 2], [0.1, 30]))).toEqual([]);
  });

  it('bridges a pause that is shorter than the one that ends an utterance', () => {
    expect(stretchesOf(windows([0.9, 30], [0.1, 12], [0.9, 30], [0.1, 30]))).toHaveLength(1);
  });

  it('ends speech without a pause at its maximum length, and a little earlier at a doubtful window', () => {
    expect(stretchesOf(windows([0.99, 400])).map(({ end, start, endpoint }) => [Math.round((end - start) * 10) / 10, endpoint])).toEqual([[5, 'length'], [5, 'length'], [2.8, 'end']]);
    const [first] = stretchesOf(windows([0.99, 130], [0.6, 1], [0.99, 100]));
    expect(first).toMatchObject({ endpoint: 'length', end: 4.192 });
  });

  it('keeps the last sound after speech was ended at its maximum length', () => {
    const probabilities = windows([0.05, 8], [0.6, 89], [0.95, 61]);
    expect(stretchesOf(probabilities).at(-1)).toMatchObject({ endpoint: 'end', end: toMilliseconds(probabilities.length * WINDOW_SECONDS) });
  });

  it('gives stretches that are in order, do not overlap and hold all certain speech', () => {
    const run = fc.tuple(fc.constantFrom(0.05, 0.4, 0.6, 0.95), fc.integer({ min: 1, max: 120 }));
    fc.assert(
      fc.property(fc.array(run, { maxLength: 12 }), (runs) => {
        const probabilities = windows(...runs);
        const stretches = stretchesOf(probabilities);
        for (const [nth, { start, end }] of stretches.entries()) {
          expect(start).toBeGreaterThanOrEqual(stretches[nth - 1]?.end ?? 0);
          expect(end).toBeGreaterThan(start);
        }
        let at = 0;
        for (const [probability, count] of runs) {
          const [from, to] = [at * 0.032, (at + count) * 0.032];
          at += count;
          if (probability < 0.95 || count < 3) continue;
          const inside = stretches.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(end, to) - Math.max(start, from)), 0);
          expect(inside).toBeGreaterThan(to - from - 0.002 * stretches.length - 0.001);
        }
      }),
    );
  });
});
