import { describe, expect, it } from '@jest/globals';
import { ulidGenerator } from './id-generator.js';

describe('ids', () => {
  it('are prefixed, short, different, and sort in the order they were made', () => {
    const ids = ulidGenerator();
    const made = Array.from({ length: 1000 }, () => ids.next('job'));
    expect(new Set(made).size).toBe(1000);
    expect(made.toSorted()).toEqual(made);
    expect(made[0]).toMatch(/^job_[0-9a-z]{26}$/);
  });
});
