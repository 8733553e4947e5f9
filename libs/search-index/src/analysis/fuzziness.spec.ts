import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { allowedEdits, editDistance } from './fuzziness.js';

/** By its definition. */
function plainDistance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const [restA, restB] = [a.slice(1), b.slice(1)];
  const swap = a[0] === b[1] && a[1] === b[0] && a.length > 1 && b.length > 1 ? 1 + plainDistance(a.slice(2), b.slice(2)) : Infinity;
  return Math.min(swap, plainDistance(restA, b) + 1, plainDistance(a, restB) + 1, plainDistance(restA, restB) + (a[0] === b[0] ? 0 : 1));
}

describe('editDistance', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
  it('is the number of letters to change, as far as the limit', () => {
    fc.assert(
      fc.property(word, word, fc.nat(3), (a, b, limit) => {
        const distance = plainDistance(a, b);
        if (distance <= limit) expect(editDistance(a, b, limit)).toBe(distance);
        else expect(editDistance(a, b, limit)).toBeGreaterThan(limit);
      }),
    );
  });
});

describe('allowedEdits', () => {
  it.each([['abc', 0], ['abcd', 1], ['abcdefgh', 2], ['งบประมาณ', 0], ['予算会議', 0]])('are for %s %d', (word, edits) => {
    expect(allowedEdits(word)).toBe(edits);
  });
});
