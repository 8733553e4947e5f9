import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { speakerPage } from './speaker-page.js';

const speakersOf = (ids: readonly number[]) => ids.map((id) => ({ speakerId: `S${id}`, name: `Speaker ${id}`, talkTime: id }));
const first = (count: number) => speakersOf(Array.from({ length: count }, (_, index) => index + 1));

describe('pages of speakers', () => {
  it('have each speaker once, in order, as many as the limit but for the last page', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 70 }), fc.integer({ min: 1, max: 100 }), (count, limit) => {
        const all = first(count);
        const seen = [];
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const { page, nextCursor } = speakerPage('job_1', all, { limit, cursor });
          expect(page.length === limit || nextCursor === null).toBe(true);
          seen.push(...page);
          cursor = nextCursor;
        }
        expect(seen).toEqual(all);
      }),
    );
  });

  it('pass nobody over when speakers of the page before are merged', () => {
    const { nextCursor } = speakerPage('job_1', first(5), { limit: 3 });
    const cursor = nextCursor ?? '';
    const rest = (ids: number[]) => speakerPage('job_1', speakersOf(ids), { limit: 3, cursor }).page.map(({ speakerId }) => speakerId);
    expect(rest([1, 3, 4, 5])).toEqual(['S4', 'S5']);
    expect(rest([1, 2, 4, 5])).toEqual(['S4', 'S5']);
    expect(rest([1, 4, 5])).toEqual(['S4', 'S5']);
  });

  it('refuse the cursor of another job, and what is none', () => {
    const { nextCursor } = speakerPage('job_1', first(5), { limit: 3 });
    for (const cursor of [nextCursor ?? '', 'x']) {
      expect(() => speakerPage('job_2', first(5), { limit: 3, cursor })).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
    }
  });
});
