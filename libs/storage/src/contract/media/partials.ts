import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { PartialObject } from '../../media/partial-object.js';
import { body, type MediaFixture } from './media-fixture.js';

const KEY = 'acc/upload/source';
const MEGABYTE = 1024 * 1024;
const MAX = { maxBytes: 100 * MEGABYTE };

const megabytes = (bytes: Buffer): Buffer[] => Array.from({ length: Math.ceil(bytes.length / MEGABYTE) }, (_, index) => bytes.subarray(index * MEGABYTE, (index + 1) * MEGABYTE));

export function describePartials(fixture: MediaFixture): void {
  describe('an object that arrives in pieces', () => {
    /** Keeps the latest state, as the caller's record does. */
    const recorded = (partial: PartialObject) => {
      const record = { partial, sizes: [] as number[], options: { ...MAX, onStored: async (next: PartialObject) => {
        record.partial = JSON.parse(JSON.stringify(next)) as PartialObject;
        record.sizes.push(next.sizeBytes);
      } } };
      return record;
    };

    it('is not there before it is finished, and whole then, whatever the pieces', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 9 * MEGABYTE }), { minLength: 1, maxLength: 4 }), async (sizes) => {
          await fixture.store.removePrefix('acc/upload/');
          let partial = await fixture.store.begin(KEY);
          const pieces = sizes.map((size) => randomBytes(size));
          for (const piece of pieces) {
            partial = await fixture.store.append(partial, body(piece.subarray(0, 10), piece.subarray(10)), recorded(partial).options);
          }
          const whole = Buffer.concat(pieces);
          expect(partial.sizeBytes).toBe(whole.length);
          if (whole.length > 0) {
            expect(await fixture.store.head(KEY)).toBeUndefined();
            expect(await fixture.store.finish(partial)).toEqual({ key: KEY, sizeBytes: whole.length });
            expect(await fixture.store.finish(partial)).toEqual({ key: KEY, sizeBytes: whole.length });
            expect((await fixture.bytes(KEY)).equals(whole)).toBe(true);
            expect(await fixture.keys()).toEqual([KEY]);
          }
          await fixture.store.removePrefix('acc/upload/');
          expect(await fixture.opened.countUnfinished()).toBe(0);
        }),
        { numRuns: 4 },
      );
    });

    it('keeps what arrived before a body failed, and is continued by another process', async () => {
      const bytes = randomBytes(20 * MEGABYTE);
      const record = recorded(await fixture.store.begin(KEY));
      const broken = async function* () {
        for (let at = 0; at < 18 * MEGABYTE; at += MEGABYTE) yield bytes.subarray(at, at + MEGABYTE);
        throw new TypeError('connection reset');
      };
      await expect(fixture.store.append(record.partial, broken(), record.options)).rejects.toThrow('connection reset');
      expect(record.sizes.toSorted((a, b) => a - b)).toEqual(record.sizes);
      expect(record.partial.sizeBytes).toBe(18 * MEGABYTE);
      const other = await fixture.opened.connect();
      const whole = await other.append(record.partial, body(bytes.subarray(record.partial.sizeBytes)), record.options);
      await other.finish(whole);
      expect((await fixture.bytes(KEY)).equals(bytes)).toBe(true);
      expect(await fixture.keys()).toEqual([KEY]);
      expect(await fixture.opened.countUnfinished()).toBe(0);
    });

    it('goes on from the last state that was kept when one could not be', async () => {
      const bytes = randomBytes(20 * MEGABYTE);
      const record = recorded(await fixture.store.begin(KEY));
      let kept = 0;
      const onStored = async (next: PartialObject) => {
        if (kept++ === 1) throw new Error('taken over');
        record.partial = next;
      };
      await expect(fixture.store.append(record.partial, body(...megabytes(bytes)), { ...MAX, onStored })).rejects.toThrow('taken over');
      const { sizeBytes } = record.partial;
      expect(sizeBytes).toBeGreaterThanOrEqual(5 * MEGABYTE);
      const taken = { ...record.partial, nextPart: record.partial.nextPart + 1 };
      await fixture.store.finish(await fixture.store.append(taken, body(bytes.subarray(sizeBytes)), record.options));
      expect((await fixture.bytes(KEY)).equals(bytes)).toBe(true);
    });

    it('forgets a body that failed when nothing is reported', async () => {
      const partial = await fixture.store.append(await fixture.store.begin(KEY), body('first '), MAX);
      const wrong = async function* () {
        yield randomBytes(9 * MEGABYTE);
        throw new Error('digest mismatch');
      };
      await expect(fixture.store.append(partial, wrong(), MAX)).rejects.toThrow('digest mismatch');
      await fixture.store.finish(await fixture.store.append(partial, body('second'), MAX));
      expect(await fixture.text(KEY)).toBe('first second');
      await fixture.store.removePrefix('acc/upload/');
    });

    it('takes no more than it may have', async () => {
      const record = recorded(await fixture.store.begin(KEY));
      const options = { ...record.options, maxBytes: 10 };
      await expect(fixture.store.append(record.partial, body('01234', '567890'), options)).rejects.toMatchObject({ kind: 'too_large' });
      expect(record.partial.sizeBytes).toBe(5);
      await fixture.store.removePrefix('acc/upload/');
    });

    it('is one no longer when its prefix is removed', async () => {
      const partial = await fixture.store.append(await fixture.store.begin(KEY), body('first'), MAX);
      await fixture.store.removePrefix('acc/upload/');
      const removed = expect.objectContaining({ kind: 'canceled', code: 'upload_removed' });
      const appended = async () => fixture.store.finish(await fixture.store.append(partial, body('second'), MAX));
      await expect(appended()).rejects.toEqual(removed);
      await expect(fixture.store.finish(partial)).rejects.toEqual(removed);
      expect(await fixture.opened.countUnfinished()).toBe(0);
    });
  });
}
