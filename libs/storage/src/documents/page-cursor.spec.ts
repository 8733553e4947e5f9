import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { decodeCursor, encodeCursor, type CursorOrder } from './page-cursor.js';

const order: CursorOrder = { collection: 'jobs', orderBy: 'createdAt', direction: 'descending' };

describe('a page cursor', () => {
  it('gives the position back, whatever its text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 })), fc.string(), (value, id) => {
        const cursor = encodeCursor(order, { value, id });
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(decodeCursor(cursor, order)).toEqual({ value, id });
      }),
    );
  });

  it('is refused, and breaks nothing, when it is anything else', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json().map((json) => Buffer.from(json).toString('base64url'))), (cursor) => {
        expect(() => decodeCursor(cursor, order)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
      }),
    );
  });

  it('is refused in another collection', () => {
    const cursor = encodeCursor({ ...order, collection: 'keys' }, { value: 'a', id: 'b' });
    expect(() => decodeCursor(cursor, order)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
  });
});
