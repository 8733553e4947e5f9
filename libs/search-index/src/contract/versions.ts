import { describe, expect, it } from '@jest/globals';
import { aJob, direction, type SearchFixture } from './search-fixture.js';

export function describeVersions(fixture: SearchFixture): void {
  describe('a job', () => {
    it('is found with all that was put', async () => {
      const passage = { id: 's7', text: 'The budget is too small.', language: 'en-GB', speaker: { id: 'spk_1', name: 'Ann' }, start: 12.5, end: 15.25 };
      await fixture.put('job1', [passage], { createdAt: '2026-03-04T05:06:07+01:00' });
      const { hits } = await fixture.search('budget');
      const { id: passageId, ...said } = passage;
      expect(hits).toEqual([{ ...said, jobId: 'job1', passageId, createdAt: '2026-03-04T04:06:07.000Z', score: expect.any(Number), jumpTo: 12.5, snippet: { text: passage.text, marks: [[4, 10]] } }]);
    });

    it('is there for later processes, with its words, vectors and version', async () => {
      await fixture.put('job1', [{ text: 'alpha', embedding: direction(0) }], { version: 5 });
      await fixture.put('job2', [{ text: 'beta', embedding: direction(1) }]);
      await fixture.reopen();
      expect(await fixture.found('alpha')).toEqual(['job1/p1']);
      expect(await fixture.found({ embedding: direction(0.9), mode: 'vector' })).toEqual(['job2/p1', 'job1/p1']);
      expect(await fixture.put('job1', ['late'], { version: 4 })).toBe(false);
    });

    it('has the passages of its last version, and no others', async () => {
      await fixture.put('job1', [{ text: 'alpha one', embedding: direction(0) }, 'beta two', 'gamma three'], { version: 1 });
      await fixture.search('alpha');
      expect(await fixture.put('job1', [{ text: 'delta four', embedding: direction(1) }, 'beta five'], { version: 2 })).toBe(true);
      expect(await fixture.found({ text: 'alpha three gamma', fuzziness: 'none' })).toEqual([]);
      expect(await fixture.found({ embedding: direction(0), mode: 'vector' })).toEqual(['job1/p1']);
      expect((await fixture.search('beta')).hits.map(({ text }) => text)).toEqual(['beta five']);
    });

    it('may be put again at the same version, and may be empty', async () => {
      await fixture.put('job1', ['alpha', 'beta']);
      expect(await fixture.put('job1', ['alpha', 'beta'])).toBe(true);
      expect(await fixture.found('alpha beta')).toHaveLength(2);
      expect(await fixture.put('job1', [], { version: 2 })).toBe(true);
      expect(await fixture.found('alpha beta')).toEqual([]);
    });

    it('is not overwritten by what comes late', async () => {
      await fixture.put('job1', ['alpha'], { version: 3 });
      expect(await fixture.put('job1', ['beta', 'gamma'], { version: 2 })).toBe(false);
      expect(await fixture.index.updateSpeakers({ accountId: 'acc', jobId: 'job1', version: 2 }, {})).toBe(false);
      expect(await fixture.found('alpha beta gamma')).toEqual(['job1/p1']);
    });

    it('has the passages of the highest version, whatever order they come in at once', async () => {
      const versions = [3, 1, 5, 2, 4];
      const texts = (version: number) => Array.from({ length: 6 - version }, (_, index) => `version${version} text${index}`);
      await Promise.all(versions.map((version) => fixture.put('job1', texts(version), { version })));
      const { hits } = await fixture.search({ text: 'text0 text1 text2 text3 text4 text5', fuzziness: 'none' });
      expect(hits.map(({ text }) => text)).toEqual(['version5 text0']);
    });

    it('that is deleted is gone, and does not come back', async () => {
      await fixture.put('job1', [{ text: 'alpha', embedding: direction(0) }]);
      await fixture.put('job2', [{ text: 'alpha', embedding: direction(0) }]);
      await fixture.search('alpha');
      await fixture.index.deleteJob('acc', 'job1');
      expect(await fixture.put('job1', ['alpha'], { version: 9 })).toBe(false);
      expect(await fixture.index.updateSpeakers({ accountId: 'acc', jobId: 'job1', version: 10 }, {})).toBe(false);
      expect(await fixture.found({ text: 'alpha', embedding: direction(0) })).toEqual(['job2/p1']);
      await fixture.index.deleteJob('acc', 'job1');
      await fixture.index.deleteJob('acc', 'job3');
      expect(await fixture.put('job3', ['alpha'])).toBe(false);
    });

    it('is gone when it is deleted while it is put', async () => {
      const puts = [1, 2, 3].map((version) => fixture.put('job1', ['alpha', 'beta'], { version }));
      await Promise.all([...puts, fixture.index.deleteJob('acc', 'job1')]);
      expect(await fixture.found('alpha beta')).toEqual([]);
    });

    it('is deleted with its account, which does not come back', async () => {
      await fixture.put('job1', [{ text: 'alpha', embedding: direction(0) }]);
      await fixture.put('job2', ['alpha']);
      await fixture.put('job1', ['alpha'], { accountId: 'other' });
      await fixture.search('alpha');
      await fixture.index.deleteAccount('acc');
      expect(await fixture.put('job3', ['alpha'])).toBe(false);
      expect(await fixture.put('job1', ['alpha'], { version: 2 })).toBe(false);
      expect(await fixture.found({ text: 'alpha', embedding: direction(0) })).toEqual([]);
      expect(await fixture.found({ accountId: 'other', text: 'alpha' })).toEqual(['job1/p1']);
    });
  });

  describe('speakers', () => {
    const speakers = async () => (await fixture.search('alpha beta gamma')).hits.toSorted((a, b) => a.start - b.start).map(({ speaker }) => speaker);
    const job = (version: number) => ({ accountId: 'acc', jobId: 'job1', version });
    const spoken = [
      { text: 'alpha', speaker: { id: 's1' }, embedding: direction(0) },
      { text: 'beta', speaker: { id: 's2', name: 'Bob' } },
      { text: 'gamma' },
    ];

    it('get names, and are found by them', async () => {
      await fixture.put('job1', spoken);
      expect(await fixture.index.updateSpeakers(job(2), { s1: { id: 's1', name: 'Ánn' }, s2: { id: 's2' } })).toBe(true);
      expect(await speakers()).toEqual([{ id: 's1', name: 'Ánn' }, { id: 's2' }, undefined]);
      expect(await fixture.found({ text: 'alpha beta', filters: { speakers: ['ann'] } })).toEqual(['job1/p1']);
      expect(await fixture.found({ text: 'alpha beta', filters: { speakers: ['Bob'] } })).toEqual([]);
      expect(await fixture.found({ embedding: direction(0), mode: 'vector' })).toEqual(['job1/p1']);
    });

    it('can be swapped and merged', async () => {
      await fixture.put('job1', spoken);
      await fixture.index.updateSpeakers(job(2), { s1: { id: 's2', name: 'Bob' }, s2: { id: 's1' } });
      expect(await speakers()).toEqual([{ id: 's2', name: 'Bob' }, { id: 's1' }, undefined]);
      await fixture.index.updateSpeakers(job(3), { s1: { id: 's2', name: 'Bob' } });
      expect(await speakers()).toEqual([{ id: 's2', name: 'Bob' }, { id: 's2', name: 'Bob' }, undefined]);
    });

    it('that were renamed are not named back by what comes late', async () => {
      await fixture.put('job1', spoken);
      await fixture.index.updateSpeakers(job(3), { s1: { id: 's1', name: 'Ann' } });
      expect(await fixture.put('job1', spoken, { version: 2 })).toBe(false);
      expect(await fixture.index.updateSpeakers(job(2), { s1: { id: 's1', name: 'Eve' } })).toBe(false);
      expect((await speakers())[0]).toEqual({ id: 's1', name: 'Ann' });
      expect(await fixture.put('job1', spoken, { version: 4 })).toBe(true);
      expect((await speakers())[0]).toEqual({ id: 's1' });
    });

    it('that were renamed before the job is indexed are not named back by what was read before that', async () => {
      expect(await fixture.index.updateSpeakers(job(7), { s1: { id: 's1', name: 'Ann' } })).toBe(false);
      expect(await fixture.put('job1', spoken)).toBe(false);
      expect(await fixture.found('alpha')).toEqual([]);
      expect(await fixture.put('job1', spoken, { version: 7 })).toBe(true);
      expect(await fixture.index.updateSpeakers(job(8), { s1: { id: 's1', name: 'Ada' } })).toBe(true);
      expect((await speakers())[0]).toEqual({ id: 's1', name: 'Ada' });
    });

    it('have no older name than the last, whatever is put beside a change', async () => {
      const named = (version: number) => spoken.map((said) => (said.speaker ? { ...said, speaker: { ...said.speaker, name: `name ${version}` } } : said));
      const rename = (version: number) => fixture.index.updateSpeakers(job(version), { s1: { id: 's1', name: `name ${version}` }, s2: { id: 's2', name: `name ${version}` } });
      await Promise.all([fixture.put('job1', named(1)), rename(2), fixture.put('job1', named(1)), rename(3)]);
      await fixture.put('job1', named(3), { version: 3 });
      expect((await speakers()).map((speaker) => speaker?.name)).toEqual(['name 3', 'name 3', undefined]);
    });
  });

  describe('what is put', () => {
    const invalid = (code: string) => expect.objectContaining({ kind: 'invalid', code });

    it.each([
      ['an id with a separator', { jobId: 'a/b' }, 'invalid_id'],
      ['no account', { accountId: '' }, 'invalid_id'],
      ['version 0', { version: 0 }, 'invalid_version'],
      ['a time that is none', { createdAt: 'yesterday' }, 'invalid_time'],
      ['two passages of one id', { passages: aJob('x', [{ id: 'a' }, { id: 'a' }]).passages }, 'invalid_id'],
      ['a vector of other dimensions', { passages: aJob('x', [{ embedding: new Float32Array(3) }]).passages }, 'invalid_embedding'],
      ['a vector with no numbers', { passages: aJob('x', [{ embedding: direction(Number.NaN) }]).passages }, 'invalid_embedding'],
    ])('cannot have %s', async (_, part, code) => {
      await expect(fixture.put('job1', ['alpha'], part)).rejects.toEqual(invalid(code));
    });

    it('may have a vector that points nowhere, or text that is none', async () => {
      await fixture.put('job1', [{ text: 'alpha', embedding: new Float32Array(8) }, { text: '' }, { text: '\ud800 beta \0 …' }]);
      expect(await fixture.found('alpha')).toEqual(['job1/p1']);
      expect(await fixture.found('beta')).toEqual(['job1/p3']);
    });
  });
}
