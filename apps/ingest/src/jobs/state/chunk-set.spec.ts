import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { addChunk, allChunks, EMPTY_CHUNKS, hasChunk } from './chunk-set.js';

const indexes = fc.array(fc.nat(300), { maxLength: 60 });

describe('a set of chunks', () => {
  it('holds what was added, whatever the order and however often', () => {
    fc.assert(
      fc.property(indexes, fc.nat(300), (added, other) => {
        const set = added.reduce(addChunk, EMPTY_CHUNKS);
        expect(hasChunk(set, other)).toBe(added.includes(other));
      }),
    );
  });

  it('is whole once every chunk was added', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), (total) => {
        const set = Array.from({ length: total }, (_, index) => index).reduce(addChunk, EMPTY_CHUNKS);
        expect(set).toBe(allChunks(total));
        expect(hasChunk(set, total)).toBe(false);
      }),
    );
  });

  it('takes 480 characters for twelve hours at fifteen seconds', () => {
    expect(allChunks(2880)).toHaveLength(480);
  });
});
