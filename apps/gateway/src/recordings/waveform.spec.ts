import { describe, expect, it } from '@jest/globals';
import { waveformOf } from './waveform.js';

async function* pieces(levels: readonly number[], size: number): AsyncGenerator<Uint8Array> {
  const bytes = new Uint8Array(new Int8Array(levels).buffer);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('a waveform', () => {
  const LEVELS = [-127, 10, -3, 127, 0, 0, -64, 64];

  it.each([1, 3, 100])('is that of the peaks, however they come: %i bytes a piece', async (size) => {
    expect(await waveformOf(pieces(LEVELS, size), { sizeBytes: LEVELS.length, maxPoints: 2 })).toEqual({ duration: 0.08, points: 2, min: [-1, -0.504], max: [1, 0.504] });
  });

  it('has no more points than there are peaks', async () => {
    expect(await waveformOf(pieces(LEVELS, 8), { sizeBytes: LEVELS.length, maxPoints: 4000, duration: 0.07 })).toMatchObject({ duration: 0.07, points: 4, min: [-1, -0.024, 0, -0.504] });
    expect(await waveformOf(pieces([], 8), { sizeBytes: 0, maxPoints: 10 })).toEqual({ duration: 0, points: 0, min: [], max: [] });
  });
});
