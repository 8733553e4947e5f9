import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { SearchQuery } from '../search-index.js';
import { direction, keyOf, type SearchFixture } from './search-fixture.js';

export function describePages(fixture: SearchFixture): void {
  const everyPage = async (query: Partial<SearchQuery>, between: (page: number) => Promise<unknown> = async () => undefined) => {
    const keys: string[] = [];
    let cursor: string | null = null;
    for (let page = 1; ; page += 1) {
      const { hits, nextCursor } = await fixture.search({ ...query, ...(cursor !== null && { cursor }) });
      keys.push(...hits.map(keyOf));
      if (nextCursor === null) return keys;
      cursor = nextCursor;
      await between(page);
    }
  };
  const spread = (count: number) => Array.from({ length: count }, (_, index) => ({ text: `alpha ${'word '.repeat((index * 7) % 23)}`, embedding: direction(((index * 13) % 50) / 50) }));

  describe('pages', () => {
    it('have together what one page has, in its order', async () => {
      await fixture.put('job1', spread(50));
      for (const mode of ['lexical', 'vector', 'hybrid'] as const) {
        const query = { text: 'alpha', embedding: direction(0), mode };
        const whole = await fixture.found({ ...query, limit: 100 });
        expect(whole).toHaveLength(50);
        expect(await everyPage({ ...query, limit: 7 })).toEqual(whole);
        expect(await everyPage({ ...query, limit: 25 })).toEqual(whole);
      }
    });

    it('give nothing twice and leave out nothing that was there while passages are added', async () => {
      await fixture.put('job1', spread(40));
      let version = 0;
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 3, max: 15 }), fc.array(fc.nat({ max: 12 }), { maxLength: 4 }), fc.constantFrom('lexical', 'vector', 'hybrid'), async (limit, added, mode) => {
          version += 1;
          const keys = await everyPage({ text: 'alpha', embedding: direction(0), mode, limit }, (page) => fixture.put(`new${page}`, spread(added[page - 1] ?? 0), { version }));
          expect(new Set(keys).size).toBe(keys.length);
          expect(keys.filter((key) => key.startsWith('job1/'))).toHaveLength(40);
        }),
        { numRuns: 8 },
      );
    });

    it('end after 200 hits', async () => {
      await fixture.put('job1', spread(230));
      const keys = await everyPage({ text: 'alpha', embedding: direction(0), limit: 90 });
      expect(keys).toHaveLength(200);
      expect(new Set(keys).size).toBe(200);
    });

    it('of another query, or of none, are refused', async () => {
      await fixture.put('job1', spread(10));
      const { nextCursor } = await fixture.search({ text: 'alpha', limit: 3 });
      const cursor = nextCursor ?? '';
      const refused = { kind: 'invalid', code: 'invalid_cursor' };
      await expect(fixture.search({ text: 'beta', limit: 3, cursor })).rejects.toMatchObject(refused);
      await expect(fixture.search({ text: 'alpha', accountId: 'other', cursor })).rejects.toMatchObject(refused);
      await expect(fixture.search({ text: 'alpha', filters: { jobIds: ['job1'] }, cursor })).rejects.toMatchObject(refused);
      for (const broken of ['', 'x', '%%', cursor.slice(1), `${cursor}AAAA`]) await expect(fixture.search({ text: 'alpha', cursor: broken })).rejects.toMatchObject(refused);
      expect((await fixture.search({ text: 'alpha', limit: 5, cursor })).hits).toHaveLength(5);
    });

    it.each([0, -1, 1.5, 101, Number.NaN])('cannot have %p hits', async (limit) => {
      await expect(fixture.search({ text: 'alpha', limit })).rejects.toMatchObject({ kind: 'invalid', code: 'invalid_limit' });
    });
  });
}
