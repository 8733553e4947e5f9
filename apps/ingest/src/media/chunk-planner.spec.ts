import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { SpeechRegion } from '@parlance/transcript';
import { planChunks } from './chunk-planner.js';

const lengths = { idealSeconds: 30, maxSeconds: 60 };

/** Speech and pauses in turn, in milliseconds, made into regions. */
const recording = fc
  .array(fc.record({ pause: fc.integer({ min: 0, max: 40_000 }), speech: fc.integer({ min: 1, max: 120_000 }) }), { maxLength: 40 })
  .chain((turns) => fc.integer({ min: 1, max: 30_000 }).map((rest) => {
    let at = 0;
    const regions: SpeechRegion[] = turns.map(({ pause, speech }) => {
      const start = at + pause;
      at = start + speech;
      return { start: start / 1000, end: at / 1000 };
    });
    return { regions, duration: (at + rest) / 1000 };
  }));

const anyLengths = fc
  .record({ ideal: fc.integer({ min: 2000, max: 60_000 }), room: fc.integer({ min: 0, max: 60_000 }) })
  .map(({ ideal, room }) => ({ idealSeconds: ideal / 1000, maxSeconds: (ideal + room) / 1000 }));

const always = (check: (regions: SpeechRegion[], duration: number, limits: typeof lengths) => void) =>
  fc.assert(fc.property(recording, anyLengths, ({ regions, duration }, limits) => check(regions, duration, limits)));

describe('a plan', () => {
  it('has own ranges that tile the audio, inside what each chunk holds', () => {
    always((regions, duration, limits) => {
      const chunks = planChunks(regions, duration, limits);
      expect(chunks[0]?.ownStart).toBe(0);
      expect(chunks.at(-1)?.ownEnd).toBe(duration);
      for (const [index, { start, end, ownStart, ownEnd }] of chunks.entries()) {
        if (index > 0) expect(ownStart).toBe(chunks[index - 1]?.ownEnd);
        expect(start).toBeLessThanOrEqual(ownStart);
        expect(ownStart).toBeLessThan(ownEnd);
        expect(ownEnd).toBeLessThanOrEqual(end);
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(duration);
      }
    });
  });

  it('has no chunk above the maximum', () => {
    always((regions, duration, limits) => {
      for (const { start, end } of planChunks(regions, duration, limits)) expect(end - start).toBeLessThanOrEqual(limits.maxSeconds + 1e-9);
    });
  });

  it('covers all speech, once by own ranges, and gives each chunk exactly the speech it holds', () => {
    always((regions, duration, limits) => {
      const chunks = planChunks(regions, duration, limits);
      for (const { start, end, speech } of chunks) {
        const expected = regions
          .filter((region) => region.start < end && region.end > start)
          .map((region) => ({ start: Math.max(region.start, start), end: Math.min(region.end, end) }));
        expect(speech).toEqual(expected);
      }
      const total = (ranges: SpeechRegion[]) => ranges.reduce((sum, { start, end }) => sum + end - start, 0);
      const owned = chunks.flatMap(({ ownStart, ownEnd, speech }) =>
        speech.map(({ start, end }) => ({ start: Math.max(start, ownStart), end: Math.max(Math.min(end, ownEnd), Math.max(start, ownStart)) })),
      );
      expect(total(owned)).toBeCloseTo(total(regions), 3);
    });
  });

  it('cuts without overlap in silences of 0.3 s at least, and with it only where there is none', () => {
    always((regions, duration, limits) => {
      const chunks = planChunks(regions, duration, limits);
      for (const [index, { end, ownEnd }] of chunks.slice(0, -1).entries()) {
        const next = chunks[index + 1];
        const before = regions.filter((region) => region.start < ownEnd).at(-1)?.end ?? 0;
        const after = regions.find((region) => region.start >= ownEnd)?.start ?? duration;
        const silent = before <= ownEnd && after - before >= 0.3 - 1e-9;
        if (end === ownEnd) {
          expect(next?.start).toBe(ownEnd);
          expect({ ownEnd, silent }).toEqual({ ownEnd, silent: true });
        } else {
          expect(next?.start).toBeLessThan(ownEnd);
          expect(end - (next?.start ?? 0)).toBeLessThanOrEqual(2 + 1e-9);
        }
      }
    });
  });

  it('is the same however often it is made', () => {
    always((regions, duration, limits) => expect(planChunks(regions, duration, limits)).toEqual(planChunks(regions, duration, limits)));
  });
});

describe('a cut', () => {
  const own = (regions: SpeechRegion[], duration: number, limits = lengths) => planChunks(regions, duration, limits).map(({ ownStart, ownEnd }) => [ownStart, ownEnd]);

  it('is in the middle of the silence nearest to the ideal length', () => {
    const regions = [{ start: 0, end: 20 }, { start: 20.4, end: 31 }, { start: 32, end: 50 }, { start: 51, end: 80 }];
    expect(own(regions, 80)).toEqual([[0, 31.5], [31.5, 51 - 0.5], [50.5, 80]]);
  });

  it('keeps away from the edges of a long silence', () => {
    expect(own([{ start: 0, end: 10 }, { start: 29.5, end: 80 }], 80)[0]).toEqual([0, 28.5]);
    expect(own([{ start: 0, end: 29.5 }, { start: 60, end: 80 }], 80)[0]).toEqual([0, 30.5]);
  });

  it('in speech overlaps by two seconds around it', () => {
    const [first, second] = planChunks([{ start: 0, end: 100 }], 100, lengths);
    expect(first).toMatchObject({ start: 0, end: 31, ownStart: 0, ownEnd: 30 });
    expect(second).toMatchObject({ start: 29, ownStart: 30 });
  });

  it('is not made for a rest that fits', () => {
    expect(own([{ start: 0, end: 44 }], 45)).toEqual([[0, 45]]);
    expect(own([], 12.345)).toEqual([[0, 12.345]]);
  });

  it('goes for the end of a pause that only the maximum reaches', () => {
    expect(own([{ start: 0, end: 55 }, { start: 56, end: 90 }], 90)[0]).toEqual([0, 55.5]);
  });

  it('of an hour with pauses leaves chunks near the ideal', () => {
    const regions = Array.from({ length: 600 }, (_, n) => ({ start: n * 6, end: n * 6 + 5.5 }));
    const chunks = planChunks(regions, 3600, lengths);
    expect(chunks).toHaveLength(120);
    expect(chunks.every(({ start, end }) => Math.abs(end - start - 30) <= 3)).toBe(true);
  });
});
