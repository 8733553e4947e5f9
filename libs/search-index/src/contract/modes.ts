import { describe, expect, it } from '@jest/globals';
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

    it('of hybrid, which is the default, has the passages with every word first, the nearer ones before the others', async () => {
      await fixture.put('job1', passages);
      const { hits, mode } = await fixture.search(query);
      expect(mode).toBe('hybrid');
      // The nearest has no angle to the query and a similarity of 1, the farthest a right one and 0; p5 has no vector.
      expect(hits.map(keyOf)).toEqual(['job1/p2', 'job1/p1', 'job1/p5', 'job1/p3', 'job1/p4']);
      expect(hits[0]?.score).toBeGreaterThan(1.9);
      expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((one, other) => other - one));
    });

    it('of hybrid adds half of the similarity and half of the words’ share', async () => {
      await fixture.put('job1', [
        { text: 'delta', embedding: direction(0.6) },
        { text: 'epsilon', embedding: direction(0.3) },
        { text: 'zeta', embedding: direction(0) },
        { text: 'eta', embedding: direction(1) },
      ]);
      const { hits } = await fixture.search({ ...query, text: 'delta epsilon' });
      // Each word is in one passage of four, so that either is half of the query.
      const similarity = (angle: number) => (Math.cos(angle * Math.PI / 2) - Math.cos(Math.PI / 2)) / (1 - Math.cos(Math.PI / 2));
      expect(hits.map(keyOf)).toEqual(['job1/p2', 'job1/p1', 'job1/p3', 'job1/p4']);
      const expected = [similarity(0.3) / 2 + 0.25, similarity(0.6) / 2 + 0.25, 0.5, 0];
      hits.forEach(({ score }, index) => expect(score).toBeCloseTo(expected[index] as number, 2));
    });

    it('of hybrid does not put passages that share only common words with the query before the nearest', async () => {
      const common = Array.from({ length: 8 }, (_, index) => ({ text: `what did you do about it ${index}`, embedding: direction(0.5 + index / 20) }));
      await fixture.put('job1', [...common, { text: 'revenue fell', embedding: direction(0) }]);
      expect((await fixture.found({ ...query, text: 'what did you say about sales' }))[0]).toBe('job1/p9');
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
