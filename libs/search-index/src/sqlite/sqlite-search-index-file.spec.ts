import { readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedPlayground } from '../../test/embedded-playground.js';
import { aJob, direction } from '../contract/search-fixture.js';
import { MAX_RANKED } from './passage-search.js';
import { SqliteSearchIndex } from './sqlite-search-index.js';

const SECRET = 'zebracrossing';

describe('the file of SqliteSearchIndex', () => {
  let playground: EmbeddedPlayground;
  beforeEach(async () => {
    playground = await EmbeddedPlayground.create(8);
  });
  afterEach(() => playground.dispose());

  const traces = async () => {
    const files = [playground.path, `${playground.path}-wal`];
    return (await Promise.all(files.map((file) => readFile(file).catch(() => Buffer.alloc(0))))).some((bytes) => bytes.toString('latin1').toLowerCase().includes(SECRET));
  };
  const put = (job: string, version = 1, account = 'acc') =>
    playground.index.put(aJob(job, Array.from({ length: 50 }, (_, index) => ({ text: `The ${SECRET} of passage ${index} in ${job}`, embedding: direction(0) })), { version, accountId: account }));
  const others = async () => {
    for (let job = 0; job < 20; job += 1) await playground.index.put(aJob(`other${job}`, ['something else', 'of another job']));
  };

  it.each([
    ['its job is deleted', () => playground.index.deleteJob('acc', 'job1')],
    ['its account is deleted', () => playground.index.deleteAccount('acc')],
    ['another version is put', () => playground.index.put(aJob('job1', ['nothing of note'], { version: 2 }))],
  ])('has no trace of a text when %s', async (_, erase) => {
    await put('job1');
    await others();
    await put('job1');
    expect(await traces()).toBe(true);
    await erase();
    expect(await traces()).toBe(false);
    await playground.index.close();
    expect(await traces()).toBe(false);
  });

  it('ranks the newest of very many passages that have a word', async () => {
    await playground.index.put(aJob('oldest', ['da']));
    await playground.index.put(aJob('many', Array.from({ length: MAX_RANKED }, () => ({ text: 'da and more beside it', embedding: direction(0) }))));
    const best = async () => (await playground.index.search({ accountId: 'acc', text: 'da', mode: 'lexical', limit: 1 })).hits.map(({ jobId }) => jobId);
    expect(await best()).toEqual(['many']);
    await playground.index.put(aJob('newest', ['da']));
    expect(await best()).toEqual(['newest']);
  });

  it('counts the passages that have a word, and forgets a word that none has', async () => {
    await put('job1');
    await put('job2');
    await put('job2', 2);
    await put('job3', 1, 'acc2');
    await playground.index.deleteJob('acc', 'job1');
    await playground.index.deleteAccount('acc2');
    await playground.index.close();
    const database = new DatabaseSync(playground.path);
    const counted = database.prepare("SELECT account_id, term, passages FROM vocabulary WHERE term IN (?, 'job1', 'job2', 'job3', '7') ORDER BY term").all(SECRET);
    expect(counted.map((row) => ({ ...row }))).toEqual([
      { account_id: 'acc', term: '7', passages: 1 },
      { account_id: 'acc', term: 'job2', passages: 50 },
      { account_id: 'acc', term: SECRET, passages: 50 },
    ]);
    expect({ ...database.prepare('SELECT count(*) AS count FROM passage_terms').get() }).toEqual({ count: 50 });
    database.close();
  });

  it('is not held by a long write: searches go on and see what was before', async () => {
    await playground.index.put(aJob('job1', ['alpha']));
    const order: string[] = [];
    const long = playground.index.put(aJob('job2', Array.from({ length: 2000 }, (_, index) => `alpha beta gamma ${index}`))).then(() => order.push('put'));
    const { hits } = await playground.index.search({ accountId: 'acc', text: 'alpha' });
    order.push('search');
    expect(hits).toHaveLength(1);
    await long;
    expect(order).toEqual(['search', 'put']);
    expect((await playground.index.search({ accountId: 'acc', text: 'alpha' })).hits).toHaveLength(20);
  });

  it('of vectors of other dimensions is opened, and these are not compared', async () => {
    await playground.index.put(aJob('job1', [{ text: 'alpha', embedding: direction(0) }]));
    await playground.index.close();
    const index = await SqliteSearchIndex.open(playground.path, { dimensions: 4 });
    await index.put(aJob('job2', [{ text: 'alpha', embedding: Float32Array.of(1, 0, 0, 0) }]));
    const { hits } = await index.search({ accountId: 'acc', text: '', embedding: Float32Array.of(1, 0, 0, 0) });
    expect(hits.map(({ jobId }) => jobId)).toEqual(['job2']);
    await index.close();
  });

  it('that a newer version wrote is refused, and what is closed says so', async () => {
    await playground.index.close();
    await expect(playground.index.search({ accountId: 'acc', text: 'x' })).rejects.toMatchObject({ kind: 'unavailable', code: 'search_closed' });
    await expect(playground.index.check()).rejects.toMatchObject({ code: 'search_closed' });
    const database = new DatabaseSync(playground.path);
    database.exec('PRAGMA user_version = 99');
    database.close();
    await expect(SqliteSearchIndex.open(playground.path, { dimensions: 8 })).rejects.toThrow(/newer version/);
  });
});
