import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { DEFAULT_SCHEDULE_SECONDS, nextDelayMs, parseRetryAfter } from './retry-schedule.js';

const scheduleSeconds = DEFAULT_SCHEDULE_SECONDS;

describe('the retry schedule', () => {
  it('waits 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, then no more', () => {
    const delays = Array.from({ length: 10 }, (_, index) => nextDelayMs({ tries: index + 1, scheduleSeconds, random: 0.5 }));
    const hour = 3_600_000;
    expect(delays).toEqual([5000, 300_000, hour / 2, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour, undefined]);
  });

  it('varies each delay by at most 20 % in either direction', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), random, (tries, random) => {
        const planned = scheduleSeconds[tries - 1]! * 1000;
        const delay = nextDelayMs({ tries, scheduleSeconds, random })!;
        expect(delay).toBeGreaterThanOrEqual(planned * 0.8 - 1);
        expect(delay).toBeLessThanOrEqual(planned * 1.2 + 1);
      }),
    );
  });

  it('waits longer when the receiver asks for it, never shorter, and never beyond a day', () => {
    const timing = { tries: 1, scheduleSeconds, random: 0.5 };
    expect(nextDelayMs({ ...timing, retryAfterSeconds: 60 })).toBe(60_000);
    expect(nextDelayMs({ ...timing, retryAfterSeconds: 1 })).toBe(5000);
    expect(nextDelayMs({ ...timing, retryAfterSeconds: 999_999_999 })).toBe(86_400_000);
  });
});

describe('Retry-After', () => {
  const now = new Date('2026-11-21T08:00:00Z');

  it('is seconds or an HTTP date', () => {
    expect(parseRetryAfter('120', now)).toBe(120);
    expect(parseRetryAfter('Sat, 21 Nov 2026 08:02:00 GMT', now)).toBe(120);
    for (const huge of ['9999999999', '9'.repeat(400)]) expect(parseRetryAfter(huge, now)).toBe(86_400);
  });

  it('counts a past date as now, and nonsense as nothing', () => {
    expect(parseRetryAfter('Fri, 20 Nov 2026 08:00:00 GMT', now)).toBe(0);
    expect(parseRetryAfter('soon', now)).toBeUndefined();
    expect(parseRetryAfter('-5', now)).toBeUndefined();
    expect(parseRetryAfter(undefined, now)).toBeUndefined();
  });
});
