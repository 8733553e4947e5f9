import { describe, expect, it } from '@jest/globals';
import { TurnBatch } from './turn-batch.js';

describe('a batch of one turn of the event loop', () => {
  it('hands the items of a key together to one call, in order', async () => {
    const calls: [string, readonly number[]][] = [];
    const batch = new TurnBatch<number, number>(async (key, items) => {
      calls.push([key, [...items]]);
      return items.length;
    });
    expect(await Promise.all([batch.add('a', 1), batch.add('b', 2), batch.add('a', 3)])).toEqual([2, 1, 2]);
    expect(await batch.add('a', 4)).toBe(1);
    expect(calls).toEqual([['a', [1, 3]], ['b', [2]], ['a', [4]]]);
  });

  it('takes items that come while it is done into the next batch', async () => {
    const sizes: number[] = [];
    const batch: TurnBatch<string, void> = new TurnBatch(async (_key, items) => {
      sizes.push(items.length);
      if (sizes.length === 1) await batch.add('a', 'later');
    });
    await batch.add('a', 'first');
    expect(sizes).toEqual([1, 1]);
  });

  it('fails for every item of the batch, and for none of the next', async () => {
    const batch = new TurnBatch<string, string>(async (_key, [first]) => (first === 'wrong' ? Promise.reject(new Error('no')) : 'done'));
    const outcomes = await Promise.allSettled([batch.add('a', 'wrong'), batch.add('a', 'right')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await batch.add('a', 'right')).toBe('done');
  });
});
