import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SearchFilters } from '../search-index.js';
import { direction, type SearchFixture } from './search-fixture.js';

export function describeFilters(fixture: SearchFixture): void {
  describe('a filter', () => {
    const spoken = (id: string, name?: string) => ({ id, ...(name !== undefined && { name }) });
    beforeEach(async () => {
      const embedding = direction(0);
      await fixture.put('job1', [
        { text: 'alpha', embedding, speaker: spoken('s1', 'Ann Łukasz') },
        { text: 'alpha', embedding, speaker: spoken('s2', 'Bob'), language: 'en-GB' },
      ], { createdAt: '2026-01-01T00:00:00Z', duration: 10, metadata: { team: 'red', 'odd key.*': 'x'.repeat(40_000) } });
      await fixture.put('job2', [{ text: 'alpha', embedding, language: 'de', speaker: spoken('s1') }], { createdAt: '2026-02-01T00:00:00Z', duration: 20, metadata: { team: 'blue', floor: '1' } });
      await fixture.put('job3', [{ text: 'alpha', embedding, language: 'EN' }], { createdAt: '2026-03-01T00:00:00Z', duration: 30 });
      await fixture.put('job4', [{ text: 'beta', embedding: direction(1) }]);
    });

    const cases: [string, SearchFilters, string[]][] = [
      ['jobs', { jobIds: ['job2', 'job3', 'none'] }, ['job2/p1', 'job3/p1']],
      ['no jobs', { jobIds: [] }, []],
      ['a language', { languages: ['en'] }, ['job1/p1', 'job1/p2', 'job3/p1']],
      ['a regional language', { languages: ['en-gb'] }, ['job1/p2']],
      ['languages', { languages: ['en-GB', 'de'] }, ['job1/p2', 'job2/p1']],
      ['part of a language', { languages: ['e'] }, []],
      ['a speaker by id', { speakers: ['S1'] }, ['job1/p1', 'job2/p1']],
      ['a speaker by name', { speakers: ['ann lukasz'] }, ['job1/p1']],
      ['speakers', { speakers: ['bob', 'Ann Łukasz'] }, ['job1/p1', 'job1/p2']],
      ['a beginning', { createdFrom: '2026-02-01T01:00:00+01:00' }, ['job2/p1', 'job3/p1']],
      ['an end', { createdBefore: '2026-02-01T00:00:00Z' }, ['job1/p1', 'job1/p2']],
      ['a range', { createdFrom: '2026-01-02T00:00:00Z', createdBefore: '2026-02-02T00:00:00Z' }, ['job2/p1']],
      ['durations', { minDuration: 20, maxDuration: 29.9 }, ['job2/p1']],
      ['metadata', { metadata: { team: 'red' } }, ['job1/p1', 'job1/p2']],
      ['long metadata', { metadata: { 'odd key.*': 'x'.repeat(40_000) } }, ['job1/p1', 'job1/p2']],
      ['all metadata', { metadata: { team: 'blue', floor: '1' } }, ['job2/p1']],
      ['other metadata', { metadata: { team: 'blue', floor: '2' } }, []],
      ['several at once', { languages: ['en'], speakers: ['s2'], metadata: { team: 'red' }, maxDuration: 10 }, ['job1/p2']],
    ];

    it.each(cases)('by %s holds for words, meaning and both', async (_, filters, expected) => {
      for (const mode of ['lexical', 'vector', 'hybrid'] as const) {
        expect((await fixture.found({ text: 'alpha', embedding: direction(0), mode, filters })).filter((key) => key !== 'job4/p1').toSorted()).toEqual(expected);
      }
    });

    it('lets through what is far away, however much is nearer', async () => {
      await fixture.put('near', Array.from({ length: 1200 }, () => ({ text: 'gamma', embedding: direction(0.01) })));
      expect(await fixture.found({ text: 'beta', embedding: direction(0), mode: 'vector', filters: { jobIds: ['job4'] } })).toEqual(['job4/p1']);
      expect(await fixture.found({ text: 'nothing', embedding: direction(0), filters: { jobIds: ['job4'] } })).toEqual(['job4/p1']);
    });
  });
}
