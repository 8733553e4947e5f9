import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeEmbedding, encodeEmbedding } from './stored-embedding.js';
import { VectorRows } from './vector-rows.js';

const DIMENSIONS = 11;
const vector = fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: DIMENSIONS, maxLength: DIMENSIONS }).map((values) => {
  const norm = Math.hypot(...values) || 1;
  return Float32Array.from(values, (value) => value / norm);
}).filter((values) => Math.hypot(...values) > 0.5);
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, index) => sum + value * (b[index] as number), 0);

describe('VectorRows', () => {
  it('give the nearest first, as far as a byte a dimension tells, after any changes', () => {
    const change = fc.tuple(fc.nat(8), fc.option(vector, { nil: undefined }));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), vector, fc.integer({ min: 1, max: 5 }), (changes, query, count) => {
        const rows = new VectorRows(DIMENSIONS);
        const expected = new Map<number, Float32Array>();
        for (const [id, value] of changes) {
          if (value) rows.set(id, decodeEmbedding(encodeEmbedding(value)));
          else rows.remove(id);
          if (value) expected.set(id, value);
          else expected.delete(id);
        }
        const nearest = rows.nearest(query, count);
        expect(nearest).toHaveLength(Math.min(count, expected.size));
        const scores = [...expected.values()].map((value) => cosine(value, query)).toSorted((a, b) => b - a);
        nearest.forEach(({ id }, rank) => expect(Math.abs(cosine(expected.get(id) as Float32Array, query) - (scores[rank] as number))).toBeLessThan(0.04));
      }),
      { numRuns: 200 },
    );
  });

  it('compare as many as there are, and only those that they may', () => {
    const rows = new VectorRows(3);
    for (let id = 0; id < 10_000; id += 1) rows.set(id, decodeEmbedding(encodeEmbedding(Float32Array.of(Math.cos(id / 10_000), Math.sin(id / 10_000), 0))));
    // Neighbours are alike in a byte a dimension; those far from each other are not.
    const [nearest] = rows.nearest(Float32Array.of(Math.cos(0.75), Math.sin(0.75), 0), 1);
    expect(Math.abs((nearest?.id ?? 0) - 7500)).toBeLessThan(150);
    expect(rows.nearest(Float32Array.of(1, 0, 0), 5, new Set([9999, 5000])).map(({ id }) => id)).toEqual([5000, 9999]);
  });
});
