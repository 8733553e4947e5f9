import { describe, expect, it } from '@jest/globals';
import { fuseRanks } from './reciprocal-rank-fusion.js';

describe('fuseRanks', () => {
  it('adds what each list gives for the rank', () => {
    expect(fuseRanks([{ ids: ['a', 'b'], weight: 1 }, { ids: ['c', 'a'], weight: 2 }])).toEqual([
      { id: 'a', score: 1 / 11 + 2 / 12 },
      { id: 'c', score: 2 / 11 },
      { id: 'b', score: 1 / 12 },
    ]);
  });

  it('orders what is equal by id', () => {
    expect(fuseRanks([{ ids: ['z', 'b'], weight: 1 }, { ids: ['a', 'y'], weight: 1 }]).map(({ id }) => id)).toEqual(['a', 'z', 'b', 'y']);
  });
});
