import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { retryDelay } from './retry-delay.js';

const backoff = { initialDelayMs: 200, maxDelayMs: 10_000 };

describe('retryDelay', () => {
  it('doubles up to its maximum', () => {
    const delays = [1, 2, 3, 6, 7, 100].map((attempt) => retryDelay(attempt, backoff, 1));
    expect(delays).toEqual([200, 400, 800, 6400, 10_000, 10_000]);
  });

  it('lies between half of it and all of it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, random) => {
        const full = retryDelay(attempt, backoff, 1);
        const delay = retryDelay(attempt, backoff, random);
        expect(delay).toBeGreaterThanOrEqual(full / 2);
        expect(delay).toBeLessThanOrEqual(full);
      }),
    );
  });
});
