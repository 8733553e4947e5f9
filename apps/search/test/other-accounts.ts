import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { search } from '@parlance/contracts';
import { eventually } from '@parlance/testing';
import fc from 'fast-check';
import { SearchHarness } from './search-harness.js';

const ACCOUNTS = ['acc_a', 'acc_b', 'acc_c'] as const;
const WORDS = ['budget', 'garden', 'engineer', 'the', 'hire', 'water', 'we', 'tomato', 'cannot', '"', '"the budget"', 'bugdet', 'money', '会議', '\0', '*'];
const MODES = [search.SearchMode.SEARCH_MODE_HYBRID, search.SearchMode.SEARCH_MODE_SEMANTIC, search.SearchMode.SEARCH_MODE_LEXICAL];

const account = fc.constantFrom(...ACCOUNTS);
const text = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 }).map((words) => words.join(' '));
const someJobs = fc.uniqueArray(fc.constantFrom(...ACCOUNTS.flatMap((id) => [`${id}_1`, `${id}_2`])), { maxLength: 3 });
const none: string[] = [];
const filters = fc.record({
  jobIds: someJobs,
  speakers: fc.constantFrom(none, ['S1'], ['Ann']),
  languages: fc.constantFrom(none, ['en']),
  metadata: fc.constantFrom<Record<string, string>[]>({}, { team: 'x' }),
});

/** Everybody has such text, and whatever else is tried, the test is not about nothing. */
const ANYWHERE = { jobIds: none, speakers: none, languages: none, metadata: {} };
const SURE_TO_FIND = ACCOUNTS.flatMap((id) => MODES.map((mode): [(typeof ACCOUNTS)[number], string, search.SearchMode, typeof ANYWHERE] => [id, 'water garden', mode, ANYWHERE]));

/** Through the whole service, whatever index is under it. */
export function describeOtherAccounts(name: string, env: () => Record<string, string>): void {
  describe(`search and chat on ${name}`, () => {
    let harness: SearchHarness;
    beforeAll(async () => {
      harness = await SearchHarness.start(env());
      const speakers = [{ speakerId: 'S1', name: 'Ann' }];
      for (const accountId of ACCOUNTS) {
        const add = (jobId: string, texts: string[]) => harness.source.add(jobId, texts.map((one) => ['S1', one]), { accountId, speakers, metadata: { team: 'x' } });
        add(`${accountId}_1`, ['The budget is too small for another engineer.', `We cannot hire, said ${accountId}.`]);
        add(`${accountId}_2`, ['Water the garden.', 'The tomato needs money and water.']);
      }
      await harness.indexed(...ACCOUNTS.flatMap((id) => [`${id}_1`, `${id}_2`]));
      // A server shows what it has taken a second later, on a busy machine much later.
      for (const accountId of ACCOUNTS) {
        await eventually(`both jobs of ${accountId} to be found`, async () => new Set(await harness.jobsFor('budget garden', { accountId })).size === 2);
      }
    });
    afterAll(() => harness[Symbol.asyncDispose]());

    it('never show another account’s text', async () => {
      let found = 0;
      const searched = fc.asyncProperty(account, text, fc.constantFrom(...MODES), filters, async (accountId, words, mode, narrowed) => {
        const { client } = harness;
        const request = search.SearchRequest.fromPartial({ accountId, text: words, mode, limit: 3, filters: search.SearchFilters.fromPartial(narrowed) });
        for (let cursor: string | undefined, pages = 0; pages < 3; pages += 1) {
          const { hits, nextCursor } = await client.search({ ...request, cursor });
          found += hits.length;
          expect(hits.filter(({ jobId }) => !jobId.startsWith(accountId))).toEqual([]);
          if (nextCursor === undefined) break;
          cursor = nextCursor;
        }
      });
      await fc.assert(searched, { numRuns: 60, examples: SURE_TO_FIND });
      expect(found).toBeGreaterThanOrEqual(SURE_TO_FIND.length);
    });

    it('refuse a cursor of another account', async () => {
      const { client } = harness;
      const request = search.SearchRequest.fromPartial({ accountId: 'acc_a', text: 'water the garden', limit: 1 });
      const { nextCursor } = await client.search(request);
      await expect(client.search({ ...request, accountId: 'acc_b', cursor: nextCursor })).rejects.toMatchObject({ code: 'invalid_cursor' });
    });

    it('never answer by another account’s text', async () => {
      const { client } = harness;
      const asked = fc.asyncProperty(account, text, filters, async (accountId, message, narrowed) => {
        const request = search.AskRequest.fromPartial({ accountId, message, filters: search.SearchFilters.fromPartial(narrowed) });
        for await (const { event } of client.ask(request)) {
          if (event?.$case === 'done') expect(event.value.citations.filter(({ jobId }) => !jobId.startsWith(accountId))).toEqual([]);
        }
      });
      await fc.assert(asked, { numRuns: 20 });
    });
  });
}
