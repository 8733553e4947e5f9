import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase } from '@parlance/storage';
import { GrowingPauses } from './growing-pauses.js';
import { INDEXED_JOBS, TO_EMBED } from './indexed-job.js';
import { IndexedJobs } from './indexed-jobs.js';
import { SearchLedger } from './search-ledger.js';
import { WaitingTranscripts } from './waiting-transcripts.js';

/** Transcripts of the same time or a later one each, that wait for vectors. */
async function opened(count: number) {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-waiting-'));
  const documents = await openDocumentDatabase(`sqlite:${join(folder, 'search.db')}`, { clock: systemClock, ids: ulidGenerator(), log: silentLogger(), source: 'search' });
  const records = documents.collection(INDEXED_JOBS);
  const ids = Array.from({ length: count }, (_, nth) => `job_${nth}`);
  for (const [nth, id] of ids.entries()) {
    const createdAt = new Date(60_000 * Math.floor(nth / 2)).toISOString();
    await records.insert({ id, createdAt, accountId: 'acc_1', state: 'active', runs: {}, passages: 1, embedder: TO_EMBED });
  }
  const time = { now: 0 };
  const pauses = new GrowingPauses(60_000, 3600_000, () => time.now);
  const jobs = new IndexedJobs(new SearchLedger(documents, systemClock));
  const close = async () => {
    await documents.close();
    await rm(folder, { recursive: true });
  };
  return { ids, records, jobs, pauses, time, waiting: new WaitingTranscripts(jobs, pauses), [Symbol.asyncDispose]: close };
}

describe('transcripts that wait for vectors', () => {
  it('get them though the engine always refuses older ones, whose pauses are over each time', async () => {
    await using test = await opened(12);
    const { ids, jobs, time, waiting } = test;
    const refused = ids.slice(0, 7);
    for (let round = 0; round < 4; round += 1, time.now += 2 * 3600_000) {
      await waiting.round(async ({ id }) => {
        if (refused.includes(id)) return false;
        await jobs.reindexed(id, { passages: 1, embedder: 'engine' });
        return true;
      });
    }
    const left: string[] = [];
    for await (const { document } of jobs.ofEngine(TO_EMBED)) left.push(document.id);
    expect(left).toEqual(refused);
  });

  it('are all tried in turn while the engine fails, three in a round', async () => {
    await using test = await opened(5);
    const { time, waiting } = test;
    const tried: string[] = [];
    for (let round = 0; round < 4; round += 1, time.now += 2 * 3600_000) await waiting.round(async ({ id }) => tried.push(id) === 0);
    expect(tried).toEqual([0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1].map((nth) => `job_${nth}`));
  });

  it('are forgotten with their pauses once they are erased', async () => {
    await using test = await opened(5);
    const { records, pauses, waiting } = test;
    const fail = () => waiting.round(async () => false);
    await fail();
    await records.remove('job_1');
    for (let round = 0; round < 3; round += 1) await fail();
    expect(['job_0', 'job_1', 'job_2', 'job_3', 'job_4'].map((id) => pauses.isOver(id))).toEqual([false, true, false, false, false]);
  });
});
