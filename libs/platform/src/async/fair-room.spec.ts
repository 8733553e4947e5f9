import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { makeFairRoom, type PlaceHolder } from './fair-room.js';

const PLACES = 6;
const account = fc.constantFrom('acc_1', 'acc_2', 'acc_3', 'acc_4');

/** Lets the accounts ask for a place each, in this order. @returns those that have one in the end */
function holdersAfter(asking: readonly string[]): { accountId: string }[] {
  const holders = new Set<PlaceHolder>();
  for (const accountId of asking) {
    const holder: PlaceHolder = { accountId, lose: () => void holders.delete(holder) };
    try {
      makeFairRoom([...holders], PLACES, accountId, () => new Error('full'));
      holders.add(holder);
    } catch {
      // It asks again later, or not.
    }
  }
  return [...holders];
}

describe('room that is made for an account', () => {
  it('never lets more than the places be held, and gives each that asks long enough as many as the others', () => {
    fc.assert(
      fc.property(fc.array(account, { maxLength: 40 }), fc.uniqueArray(account, { minLength: 1 }), (before, asking) => {
        const held = holdersAfter([...before, ...Array.from({ length: PLACES }, () => asking).flat()]);
        expect(held.length).toBeLessThanOrEqual(PLACES);
        const counts = asking.map((accountId) => held.filter((holder) => holder.accountId === accountId).length);
        const most = Math.max(...['acc_1', 'acc_2', 'acc_3', 'acc_4'].map((accountId) => held.filter((holder) => holder.accountId === accountId).length));
        expect(Math.min(...counts)).toBeGreaterThanOrEqual(most - 1);
      }),
    );
  });

  it('is refused to an account that would then have more than the one that loses', () => {
    expect(holdersAfter(['acc_1', 'acc_1', 'acc_1', 'acc_2', 'acc_2', 'acc_2', 'acc_1', 'acc_2'])).toMatchObject(['acc_1', 'acc_1', 'acc_1', 'acc_2', 'acc_2', 'acc_2'].map((accountId) => ({ accountId })));
  });
});
