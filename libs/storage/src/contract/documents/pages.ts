import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Query } from '../../documents/document-collection.js';
import type { DatabaseFixture, Note } from './database-fixture.js';

const invalidCursor = expect.objectContaining({ kind: 'invalid', code: 'invalid_cursor' });

/** Times and ranks with many ties. */
const shape = fc.record({ second: fc.nat({ max: 5 }), rank: fc.nat({ max: 3 }) });

const walk = fc.record({
  first: fc.array(shape, { maxLength: 25 }),
  /** Inserted before each page. */
  meanwhile: fc.array(fc.array(shape, { maxLength: 3 }), { maxLength: 10 }),
  limit: fc.integer({ min: 1, max: 7 }),
  direction: fc.constantFrom('ascending' as const, 'descending' as const),
  orderBy: fc.constantFrom('createdAt' as const, 'rank' as const),
});

export function describePages(fixture: DatabaseFixture): void {
  describe('pages', () => {
    it('come one after the other from `all`, in order, also while what was read is removed', async () => {
      const ids = ['a', 'b', 'c', 'd', 'e'];
      for (const [second, id] of ids.entries()) await fixture.notes.insert(fixture.note(id, second, { state: second === 2 ? 'other' : 'open' }));
      const seen: string[] = [];
      for await (const { document } of fixture.notes.all({ where: { state: 'open' }, direction: 'ascending', pageSize: 2 })) {
        seen.push(document.id);
        await fixture.notes.remove(document.id);
      }
      expect(seen).toEqual(['a', 'b', 'd', 'e']);
      expect(await fixture.notes.count()).toBe(1);
    });

    it('show each document once, in order, whatever is inserted meanwhile', async () => {
      let run = 0;
      await fc.assert(
        fc.asyncProperty(walk, async ({ first, meanwhile, limit, direction, orderBy }) => {
          run += 1;
          const state = `run_${run}`;
          let inserted = 0;
          const insert = async ({ second, rank }: { second: number; rank: number }) => {
            inserted += 1;
            // Ids in no order, so that they fall before and behind the page.
            const id = `${((inserted * 7919) % 1000).toString().padStart(3, '0')}_${state}`;
            await fixture.notes.insert(fixture.note(id, second, { state, rank }));
            return id;
          };
          const expected = [];
          for (const one of first) expected.push(await insert(one));

          const seen: Note[] = [];
          let cursor: string | null = null;
          let page = 0;
          do {
            for (const one of meanwhile[page] ?? []) await insert(one);
            const query: Query = { where: { state }, orderBy, direction, limit, ...(cursor === null ? {} : { cursor }) };
            const { items, nextCursor } = await fixture.notes.find(query);
            expect(items.length).toBeLessThanOrEqual(limit);
            seen.push(...items.map(({ document }) => document));
            cursor = nextCursor;
            page += 1;
          } while (cursor !== null);

          const ids = seen.map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          expect(ids).toEqual(expect.arrayContaining(expected));
          const sign = direction === 'ascending' ? 1 : -1;
          const compare = (a: Note, b: Note) => sign * (byValue(a[orderBy], b[orderBy]) || byValue(a.id, b.id));
          expect(ids).toEqual(seen.toSorted(compare).map(({ id }) => id));
        }),
        { numRuns: 40 },
      );
    });

    it('end with a page that has no cursor, full or not', async () => {
      for (const id of ['n1', 'n2', 'n3', 'n4']) await fixture.notes.insert(fixture.note(id));
      const first = await fixture.notes.find({ limit: 2 });
      const second = await fixture.notes.find({ limit: 2, cursor: first.nextCursor ?? '' });
      expect(first.nextCursor).toEqual(expect.any(String));
      expect(second.items.map(({ document }) => document.id)).toEqual(['n2', 'n1']);
      expect(second.nextCursor).toBeNull();
    });

    it('refuse a cursor that is none, or of another order', async () => {
      for (const id of ['n1', 'n2']) await fixture.notes.insert(fixture.note(id, 0, { rank: 1 }));
      const { nextCursor } = await fixture.notes.find({ limit: 1 });
      const cursor = nextCursor ?? '';
      for (const wrong of ['', 'garbage', Buffer.from('[1]').toString('base64url'), Buffer.from('{').toString('base64url'), `${cursor}x`.slice(3)]) {
        await expect(fixture.notes.find({ cursor: wrong })).rejects.toEqual(invalidCursor);
      }
      await expect(fixture.notes.find({ cursor, direction: 'ascending' })).rejects.toEqual(invalidCursor);
      await expect(fixture.notes.find({ cursor, orderBy: 'rank' })).rejects.toEqual(invalidCursor);
      expect((await fixture.notes.find({ cursor })).items).toHaveLength(1);
    });
  });
}

const byValue = (a: string | number | undefined, b: string | number | undefined): number => {
  if (a === b) return 0;
  return String(a) < String(b) ? -1 : 1;
};
