import { setImmediate as nextTurn } from 'node:timers/promises';
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

  it('takes items until they are gathered, where that is not after one turn', async () => {
    const calls: (readonly number[])[] = [];
    const gathered = Promise.withResolvers<void>();
    const batch = new TurnBatch<number, void>(async (_key, items) => void calls.push([...items]), () => gathered.promise);
    const first = batch.add('', 1);
    await nextTurn();
    await nextTurn();
    const second = batch.add('', 2);
    expect(calls).toEqual([]);
    gathered.resolve();
    await Promise.all([first, second]);
    expect(calls).toEqual([[1, 2]]);
  });

  it('takes items that are added during a call into the next one, which begins when that has ended', async () => {
    const first = Promise.withResolvers<void>();
    const seen: string[] = [];
    const batch = new TurnBatch<string, void>(async (key, items) => {
      seen.push(`begin ${key} ${items.join(' ')}`);
      if (items.includes('slow')) await first.promise;
      seen.push(`end ${key}`);
    });
    const slow = batch.add('a', 'slow');
    await nextTurn();
    const later = [batch.add('a', 'second'), batch.add('b', 'other')];
    await later[1];
    later.push(batch.add('a', 'third'));
    first.resolve();
    await Promise.all([slow, ...later]);
    expect(seen).toEqual(['begin a slow', 'begin b other', 'end b', 'end a', 'begin a second third', 'end a']);
  });

  it('fails for every item of the batch, and for none of the next', async () => {
    const batch = new TurnBatch<string, string>(async (_key, [first]) => (first === 'wrong' ? Promise.reject(new Error('no')) : 'done'));
    const outcomes = await Promise.allSettled([batch.add('a', 'wrong'), batch.add('a', 'right')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await batch.add('a', 'right')).toBe('done');
  });
});
