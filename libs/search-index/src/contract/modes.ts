import { describe, expect, it } from '@jest/globals';
import { RANK_CONSTANT, RANK_WEIGHTS } from '../ranking/reciprocal-rank-fusion.js';
import { direction, keyOf, type SearchFixture } from './search-fixture.js';

export function describeModes(fixture: SearchFixture): void {
  describe('a mode', () => {
    const passages = [
      { text: 'alpha alpha alpha', embedding: direction(1) },
      { text: 'alpha and other words that make it long', embedding: direction(0.2) },
      { text: 'beta', embedding: direction(0) },
      { text: 'gamma', embedding: direction(0.9) },
      { text: 'alpha without a vector, and with even more words that make it longer' },
    ];
    const query = { text: 'alpha', embedding: direction(0) };

    it('of lexical finds by words alone', async () => {
      await fixture.put('job1', passages);
      expect(await fixture.found({ ...query, mode: 'lexical' })).toEqual(['job1/p1', 'job1/p2', 'job1/p5']);
    });

    it('of vector finds by meaning alone, the nearest first', async () => {
      await fixture.put('job1', passages);
      expect(await fixture.found({ ...query, mode: 'vector' })).toEqual(['job1/p3', 'job1/p2', 'job1/p4', 'job1/p1']);
    });

    it('of hybrid, which is the default, fuses the ranks of both', async () => {
      await fixture.put('job1', passages);
      const { hits, mode } = await fixture.search(query);
      const { someWords, allWords, meaning } = RANK_WEIGHTS;
      // The query has one word, so that whatever has some of its words has them all.
      const words = (rank: number) => (someWords + allWords) / (RANK_CONSTANT + rank);
      const near = (rank: number) => meaning / (RANK_CONSTANT + rank);
      const expected = { 'job1/p2': words(2) + near(2), 'job1/p1': words(1) + near(4), 'job1/p5': words(3), 'job1/p3': near(1), 'job1/p4': near(3) };
      expect(mode).toBe('hybrid');
      expect(hits.map(keyOf)).toEqual(['job1/p2', 'job1/p1', 'job1/p5', 'job1/p3', 'job1/p4']);
      for (const hit of hits) expect(hit.score).toBeCloseTo(expected[keyOf(hit) as keyof typeof expected], 6);
      expect(hits).toHaveLength(5);
    });

    it('of hybrid has what has every word before what is nearer in meaning, also with a typo', async () => {
      await fixture.put('job1', [...passages, { text: 'gamma rays and a delta', embedding: direction(0.5) }]);
      for (const text of ['delta gamma', 'delta gammma']) {
        expect((await fixture.found({ ...query, text }))[0]).toBe('job1/p6');
      }
    });

    it('is what was really done', async () => {
      await fixture.put('job1', passages);
      const modes = async (part: object) => (await fixture.search({ ...query, ...part })).mode;
      expect(await modes({})).toBe('hybrid');
      expect(await modes({ embedding: undefined })).toBe('lexical');
      expect(await modes({ embedding: undefined, mode: 'vector' })).toBe('lexical');
      expect(await modes({ embedding: new Float32Array(8), mode: 'hybrid' })).toBe('lexical');
      expect(await modes({ text: '?' })).toBe('vector');
      expect(await modes({ text: '?', mode: 'lexical' })).toBe('lexical');
    });

    it('of vector or hybrid keeps to a phrase', async () => {
      await fixture.put('job1', passages);
      expect(await fixture.found({ ...query, text: '"other words"', mode: 'vector' })).toEqual(['job1/p2']);
      expect(await fixture.found({ ...query, text: '"alpha alpha"' })).toEqual(['job1/p1']);
    });

    it('takes vectors of the dimensions of the index only', async () => {
      await expect(fixture.search({ embedding: new Float32Array(3) })).rejects.toMatchObject({ kind: 'invalid', code: 'invalid_embedding' });
    });
  });
}
