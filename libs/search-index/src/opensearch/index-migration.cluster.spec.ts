import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TIME_FACTOR } from '@parlance/platform/contract';
import { OpenSearchPlayground } from '../../test/opensearch-playground.js';
import { aJob, direction } from '../contract/search-fixture.js';
import { WRITING } from './opensearch-server.js';

describe('IndexMigration', () => {
  let playground: OpenSearchPlayground;
  beforeEach(async () => {
    playground = await OpenSearchPlayground.create({ dimensions: 8 });
  });
  afterEach(() => playground.dispose());

  const indices = async () => Object.keys(await playground.server.call<object>({ method: 'GET', path: `/${playground.prefix}-passages*` }, WRITING));
  const name = (version: number) => `${playground.prefix}-passages-v${version}`;
  const put = (job: string, texts: string[], version = 1) =>
    playground.index.put(aJob(job, texts.map((text) => ({ text, embedding: direction(0), speaker: { id: 's1' } })), { version }));
  const texts = async () => {
    await playground.settle();
    const { hits } = await playground.index.search({ accountId: 'acc', text: 'said', limit: 100 });
    return hits.map(({ jobId, text, speaker }) => `${jobId}: ${text}${speaker?.name ? ` (${speaker.name})` : ''}`).toSorted();
  };

  it('makes what is missing, once', async () => {
    expect(await playground.migration().migrate()).toEqual({ created: [], needsReindex: false });
    expect(await playground.migration(16).migrate()).toEqual({ created: [], needsReindex: true });
  });

  it('copies all into a new index that takes the place of the old one', async () => {
    for (let job = 0; job < 5; job += 1) await put(`job${job}`, ['said one', 'said two']);
    await playground.index.deleteJob('acc', 'job4');
    const before = await texts();
    expect(await playground.migration().reindex()).toEqual({ from: name(1), to: name(2), passages: 8 });
    expect(await indices()).toEqual([name(2)]);
    expect(await texts()).toEqual(before);
    expect(await put('job1', ['late'], 1)).toBe(true);
    expect(await put('job4', ['late'], 9)).toBe(false);
    expect(await playground.migration().reindex()).toMatchObject({ from: name(2), to: name(3) });
  });

  it('loses nothing that is written meanwhile, brings nothing back, and searches go on', async () => {
    const jobs = Array.from({ length: 12 }, (_, index) => `job${index}`);
    for (const job of jobs) await put(job, Array.from({ length: 60 }, (_, index) => `said ${index}`));
    await playground.settle();
    const copy = { isDone: false };
    const reindexing = playground.migration().reindex().finally(() => (copy.isDone = true));
    let searches = 0;
    const searching = (async () => {
      while (!copy.isDone) {
        const { hits } = await playground.index.search({ accountId: 'acc', text: 'said', embedding: direction(0), filters: { jobIds: ['job11'] } });
        expect(hits).toHaveLength(20);
        searches += 1;
      }
    })();
    const expected = ['job11'].flatMap((job) => Array.from({ length: 60 }, (_, index) => `${job}: said ${index}`));
    let version = 1;
    const writing = (async () => {
      // Until the copy has ended, so that each of its steps meets each kind of write.
      for (let round = 0; !copy.isDone; round += 1) {
        version += 1;
        await put('job1', [`said in round ${round}`], version);
        await put(`new${round}`, ['said anew']);
        await playground.index.updateSpeakers({ accountId: 'acc', jobId: 'job2', version }, { s1: { id: 's1', name: `Ann ${round}` } });
        if (round < 7) await playground.index.deleteJob('acc', `job${round + 3}`);
        expected.push(`new${round}: said anew`);
      }
    })();
    await Promise.all([reindexing, searching, writing]);
    expect(searches).toBeGreaterThan(0);
    await playground.settle();
    const inJob = async (jobId: string) => (await playground.index.search({ accountId: 'acc', text: 'said', limit: 100, filters: { jobIds: [jobId] } })).hits;
    expect(await inJob('job1')).toHaveLength(1);
    const named = await inJob('job2');
    expect(named).toHaveLength(60);
    expect(new Set(named.map(({ speaker }) => speaker?.name)).size).toBe(1);
    expect(await inJob('job3')).toEqual([]);
    for (const one of expected.filter((text) => text.startsWith('new'))) expect(await inJob(one.slice(0, one.indexOf(':')))).toHaveLength(1);
    expect(await inJob('job11')).toHaveLength(60);
    expect(await indices()).toEqual([name(2)]);
  });

  it('leaves out vectors of other dimensions, until jobs are put again', async () => {
    await put('job1', ['said']);
    await playground.migration(4).reindex();
    const index = playground.connect({ dimensions: 4 });
    const nearest = async () => {
      await playground.settle();
      return (await index.search({ accountId: 'acc', text: '', embedding: Float32Array.of(1, 0, 0, 0) })).hits;
    };
    expect(await texts()).toEqual(['job1: said']);
    expect(await nearest()).toEqual([]);
    await index.put(aJob('job1', [{ text: 'said', embedding: Float32Array.of(1, 0, 0, 0) }], { version: 2 }));
    expect(await nearest()).toHaveLength(1);
    await index.close();
  });

  it('takes up after one that was killed, when it is asked to', async () => {
    await put('job1', ['said']);
    await playground.server.call({ method: 'PUT', path: `/${name(2)}` }, WRITING);
    await playground.server.call({ method: 'PUT', path: `/${name(1)}/_block/write` }, WRITING);
    await expect(playground.migration().reindex()).rejects.toMatchObject({ code: 'reindex_in_progress' });
    expect(await playground.migration().reindex(true)).toMatchObject({ to: name(2), passages: 1 });
    expect(await put('job2', ['said'])).toBe(true);
    expect(await texts()).toEqual(['job1: said', 'job2: said']);
  });

  it('removes for good what was deleted', async () => {
    await put('job1', ['said one', 'said two']);
    await put('job2', ['said three']);
    await playground.settle();
    await playground.index.deleteJob('acc', 'job1');
    const deleted = async () => {
      const { _all: all } = await playground.server.call<{ _all: { primaries: { docs: { deleted: number } } } }>({ method: 'GET', path: `/${playground.prefix}-passages/_stats/docs` }, WRITING);
      return all.primaries.docs.deleted;
    };
    expect(await deleted()).toBeGreaterThan(0);
    for (;;) {
      await playground.migration().purge();
      if ((await deleted()) === 0) break;
      await pause(1000);
    }
    expect(await texts()).toEqual(['job2: said three']);
    // Until OpenSearch has merged, which took half a minute on a busy machine.
  }, 600_000 * TIME_FACTOR);
});
