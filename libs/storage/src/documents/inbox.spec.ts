import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { hasTakenIn, INBOX_SIZE, takeIn, type Inbox } from './inbox.js';

describe('an inbox', () => {
  it('knows the last events it took in, and stays small', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { maxLength: 300, size: 'max' }), (ids) => {
        const inbox = ids.reduce<Inbox>(takeIn, []);
        expect(inbox.length).toBeLessThanOrEqual(INBOX_SIZE);
        for (const id of ids.slice(-INBOX_SIZE)) expect(hasTakenIn(inbox, id)).toBe(true);
        expect(hasTakenIn(inbox, 'never seen: longer than any of the others')).toBe(false);
      }),
    );
  });
});
