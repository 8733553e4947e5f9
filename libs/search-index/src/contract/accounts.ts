import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { SearchFilters, SearchIndex, SearchQuery } from '../search-index.js';
import { aJob, direction, type SearchFixture } from './search-fixture.js';

const ACCOUNTS = ['acc', 'acc1', 'ACC', 'other'];
const WORDS = ['alpha', 'beta', 'gamma', 'acc', 'other', '予算', 'alpha予算会議'];

const account = fc.constantFrom(...ACCOUNTS);
const jobId = fc.constantFrom('job1', 'job2', 'acc', 'other');
const version = fc.integer({ min: 1, max: 4 });
const word = fc.constantFrom(...WORDS);
const text = fc.array(word, { maxLength: 4 }).map((words) => words.join(' '));
const embedding = fc.option(fc.integer({ min: 0, max: 10 }).map((tenth) => direction(tenth / 10)), { nil: undefined });

/** @param own the account as it is called in this run: what is deleted does not come back */
type Step = (index: SearchIndex, own: (account: string) => string) => Promise<unknown>;

type Said = [text: string, embedding: Float32Array | undefined];

const putOf = ([accountId, id, at, passages]: [string, string, number, Said[]]): Step => (index, own) => {
  // What is said tells whose it is.
  const texts = passages.map(([said, vector]) => ({ text: `${said} said by <${own(accountId)}>`, ...(vector && { embedding: vector }), speaker: { id: 's1', name: own(accountId) } }));
  return index.put(aJob(id, texts, { accountId: own(accountId), version: at, metadata: { team: 'red' } }));
};
const put = fc.tuple(account, jobId, version, fc.array(fc.tuple(text, embedding), { maxLength: 3 })).map(putOf);
const rename = fc
  .tuple(account, jobId, version)
  .map(([accountId, id, at]): Step => (index, own) => index.updateSpeakers({ accountId: own(accountId), jobId: id, version: at }, { s1: { id: 's2', name: own(accountId) } }));
const deleteJob = fc.tuple(account, jobId).map(([accountId, id]): Step => (index, own) => index.deleteJob(own(accountId), id));
const deleteAccount = account.map((accountId): Step => (index, own) => index.deleteAccount(own(accountId)));
const step = fc.oneof({ weight: 12, arbitrary: put }, { weight: 4, arbitrary: rename }, { weight: 2, arbitrary: deleteJob }, { weight: 1, arbitrary: deleteAccount });

const filters: fc.Arbitrary<SearchFilters | undefined> = fc.constantFrom(undefined, {}, { jobIds: ['job1', 'acc', 'other'] }, { speakers: ['acc', 'other', 's1', 's2'] }, { metadata: { team: 'red' } }, { languages: ['en'] });
const query: fc.Arbitrary<SearchQuery> = fc
  .record({ accountId: account, text: fc.oneof(text, text.map((said) => `"${said}"`), fc.string({ maxLength: 20 })), embedding, mode: fc.constantFrom('lexical', 'vector', 'hybrid' as const), filters, limit: fc.constantFrom(1, 3, 100) })
  .map(({ embedding: vector, filters: narrowed, ...rest }) => ({ ...rest, ...(vector && { embedding: vector }), ...(narrowed && { filters: narrowed }) }) as SearchQuery);

/** Whatever else is tried, the test is not about nothing. */
const SURE_TO_FIND: [Step[], SearchQuery[]] = [[putOf(['acc', 'job1', 1, [['alpha', undefined]]])], [{ accountId: 'acc', text: 'alpha', mode: 'lexical', limit: 3 }]];

export function describeAccounts(fixture: SearchFixture): void {
  describe('an account', () => {
    it('never finds a text of another one, whatever is put, changed, deleted and looked for', async () => {
      let found = 0;
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), fc.array(query, { minLength: 1, maxLength: 12 }), async (steps, queries) => {
          run += 1;
          const own = (name: string) => `${name}.${run}`;
          for (const work of steps) await work(fixture.index, own);
          await fixture.opened.settle();
          for (const one of queries.map((any) => ({ ...any, accountId: own(any.accountId) }))) {
            const page = await fixture.index.search(one);
            const more = page.nextCursor === null ? [] : (await fixture.index.search({ ...one, cursor: page.nextCursor })).hits;
            for (const hit of [...page.hits, ...more]) {
              found += 1;
              expect(hit.text).toContain(`<${one.accountId}>`);
              expect(hit.speaker?.name).toBe(one.accountId);
            }
          }
        }),
        { numRuns: 40, examples: [SURE_TO_FIND] },
      );
      expect(found).toBeGreaterThan(0);
    });

    it('cannot go on from the page of another one', async () => {
      await fixture.put('job1', ['alpha', 'alpha', 'alpha']);
      await fixture.put('job1', ['alpha', 'alpha', 'alpha'], { accountId: 'other' });
      const { nextCursor } = await fixture.search({ text: 'alpha', limit: 1 });
      await expect(fixture.search({ accountId: 'other', text: 'alpha', limit: 1, cursor: nextCursor ?? '' })).rejects.toMatchObject({ code: 'invalid_cursor' });
    });

    it('must be named', async () => {
      await fixture.put('job1', ['alpha']);
      for (const accountId of ['', '*', 'a/b', 'acc"', '_all']) {
        const search = fixture.index.search({ accountId, text: 'alpha' });
        if (accountId === '_all') expect((await search).hits).toEqual([]);
        else await expect(search).rejects.toMatchObject({ kind: 'invalid', code: 'invalid_id' });
      }
    });
  });
}
