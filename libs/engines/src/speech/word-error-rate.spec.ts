import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { wordErrorRate } from './word-error-rate.js';

describe('wordErrorRate', () => {
  it('tells substitutions, deletions and insertions apart', () => {
    expect(wordErrorRate('the cat sat on the mat tonight', 'a cat sat on mat tonight okay')).toEqual({
      substitutions: 1,
      deletions: 1,
      insertions: 1,
      referenceWords: 7,
      rate: 3 / 7,
    });
  });

  it('does not count case, punctuation and the kind of apostrophe', () => {
    expect(wordErrorRate('“Well-known,” it’s said.', "well known it's said").rate).toBe(0);
  });

  it('is above 1 when more was invented than said, and 0 for two empty texts', () => {
    expect(wordErrorRate('yes', 'oh yes it is').rate).toBe(3);
    expect(wordErrorRate('', '…').rate).toBe(0);
  });

  it('is 0 only for the same words and within the bounds of an edit distance', () => {
    const text = fc.array(fc.constantFrom('one', 'two', 'three'), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const { substitutions, deletions, insertions } = wordErrorRate(a.join(' '), b.join(' '));
        const errors = substitutions + deletions + insertions;
        expect(errors === 0).toBe(a.join(' ') === b.join(' '));
        expect(errors).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
        expect(errors).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(b.length - a.length).toBe(insertions - deletions);
      }),
    );
  });
});
