import { describe, expect, it } from '@jest/globals';
import { GrowingPauses } from './growing-pauses.js';

describe('the pauses between tries', () => {
  it('double up to a maximum, each id for itself, and end with a success', () => {
    let now = 0;
    const pauses = new GrowingPauses(100, 300, () => now);
    const lengthOf = (id: string) => {
      pauses.begin(id);
      const begun = now;
      while (!pauses.isOver(id)) now += 50;
      return now - begun;
    };
    expect([lengthOf('a'), lengthOf('a'), lengthOf('a'), lengthOf('b')]).toEqual([100, 200, 300, 100]);
    pauses.end('a');
    expect(lengthOf('a')).toBe(100);
  });
});
