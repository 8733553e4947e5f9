import { describe, expect, it } from '@jest/globals';
import { Endpointer, type SpokenStretch } from './endpointer.js';

const options = { silenceMs: 500, maxUtteranceMs: 5000 };
/** Probabilities of so many windows each. */
const windows = (...runs: [probability: number, count: number][]): number[] => runs.flatMap(([probability, count]) => Array<number>(count).fill(probability));

/** The utterance that one endpointer finds, with the window that it ended with. */
function firstStretch(probabilities: readonly number[], origin = 0): (SpokenStretch & { after: number }) | undefined {
  const endpointer = new Endpointer(options, origin);
  for (const [nth, probability] of probabilities.entries()) {
    const ended = endpointer.accept(probability);
    if (ended) return { ...ended, after: nth + 1 };
  }
  const ended = endpointer.endNow('end');
  return ended && { ...ended, after: probabilities.length };
}

describe('Endpointer', () => {
  it('ends an utterance after the pause, with some audio before and after its speech', () => {
    expect(firstStretch(windows([0.1, 50], [0.9, 50], [0.1, 50]))).toEqual({ start: 42, end: 106, endpoint: 'silence', after: 116 });
  });

  it('counts from the window at which it begins, and takes none before it', () => {
    expect(firstStretch(windows([0.1, 4], [0.9, 50]), 1000)).toMatchObject({ start: 1000, end: 1054, endpoint: 'end' });
  });

  it('takes no click for speech', () => {
    expect(firstStretch(windows([0.1, 10], [0.9, 2], [0.1, 30], [0.9, 2], [0.1, 30]))).toBeUndefined();
  });

  it('bridges a pause that is shorter than the one that ends an utterance', () => {
    expect(firstStretch(windows([0.9, 30], [0.1, 12], [0.9, 30], [0.1, 30]))).toMatchObject({ start: 0, after: 88 });
  });

  it('ends speech without a pause at its maximum length, and a little earlier at a doubtful window', () => {
    expect(firstStretch(windows([0.99, 400]))).toMatchObject({ endpoint: 'length', end: 157 });
    expect(firstStretch(windows([0.99, 130], [0.6, 1], [0.99, 100]))).toMatchObject({ endpoint: 'length', end: 131 });
  });

  it('keeps a short sound at its beginning, which may be the rest of an utterance that was cut', () => {
    expect(firstStretch(windows([0.6, 1], [0.1, 30]))).toMatchObject({ start: 0, end: 7, endpoint: 'silence' });
  });

  it('names a place to begin anew in a long pause, before the lead of the next utterance, and none in speech', () => {
    const endpointer = new Endpointer(options, 100);
    const places = windows([0.1, 60], [0.9, 2], [0.1, 8]).map((probability) => (endpointer.accept(probability), endpointer.restart));
    expect(places.filter((place) => place !== undefined)).toEqual([162]);
    for (const probability of windows([0.9, 40], [0.1, 10])) {
      endpointer.accept(probability);
      if (endpointer.start !== undefined) expect(endpointer.restart).toBeUndefined();
    }
  });
});
