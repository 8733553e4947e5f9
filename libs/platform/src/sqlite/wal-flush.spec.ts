import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '../errors/app-error.js';
import type { Durability } from './durability.js';
import { GroupCommit } from './group-commit.js';
import { openSqliteDatabase } from './open-sqlite-database.js';

const closed = () => new AppError({ kind: 'unavailable', code: 'database_closed', message: 'Closed.' });

describe('GroupCommit on a disk that takes its time', () => {
  let folder: string;
  let database: DatabaseSync;
  let commits: GroupCommit;
  /** Each ends the flush that waits the longest. */
  let flushes: PromiseWithResolvers<void>[];
  let begun: number;

  const open = (durability: Durability) => {
    const sync = () => {
      begun += 1;
      const flush = Promise.withResolvers<void>();
      flushes.push(flush);
      return flush.promise;
    };
    commits = new GroupCommit(database, closed, { durability, sync });
  };
  const insert = (text: string, flush?: 'soon') => commits.run(1, () => void database.prepare('INSERT INTO notes VALUES (?)').run(text), { flush });
  const count = () => database.prepare('SELECT count(*) AS count FROM notes').get()?.['count'];
  const committed = async (rows: number) => {
    while (count() !== rows) await sleep(1);
  };
  const flushing = async (count: number) => {
    while (flushes.length < count) await sleep(1);
  };
  const stateOf = (write: Promise<unknown>) => Promise.race([write.then(() => 'acknowledged'), sleep(5).then(() => 'waiting')]);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-flush-'));
    database = openSqliteDatabase(join(folder, 'notes.db'), [(fresh) => fresh.exec('CREATE TABLE notes (text TEXT UNIQUE)')]);
    flushes = [];
    begun = 0;
  });
  afterEach(async () => {
    flushes.forEach(({ resolve }) => resolve());
    await commits.close().catch(() => undefined);
    database.close();
    await rm(folder, { recursive: true });
  });

  it('acknowledges a write once it is flushed, and until then makes readers wait', async () => {
    open('power');
    const write = insert('a');
    await committed(1);
    expect(await stateOf(write)).toBe('waiting');
    const read = Promise.resolve(commits.unflushed);
    expect(await stateOf(read)).toBe('waiting');
    flushes[0]?.resolve();
    await Promise.all([write, read]);
    expect(commits.unflushed).toBeUndefined();
  });

  it('flushes once for all commits that were made during the flush before, and none of them by the flush before', async () => {
    open('power');
    const first = insert('a');
    await committed(1);
    const later: Promise<void>[] = [];
    for (let rows = 2; rows <= 5; rows += 1) {
      later.push(insert(String(rows)));
      await committed(rows);
    }
    flushes[0]?.resolve();
    await first;
    expect(await Promise.all(later.map(stateOf))).toEqual(['waiting', 'waiting', 'waiting', 'waiting']);
    flushes[1]?.resolve();
    await Promise.all(later);
    expect(begun).toBe(2);
  });

  it('acknowledges nothing any more once the disk has failed: the next flush may succeed without what the first has lost', async () => {
    open('power');
    const write = insert('a');
    await committed(1);
    flushes[0]?.reject(new Error('EIO'));
    await expect(write).rejects.toMatchObject({ code: 'storage_failed' });
    for (const flush of [undefined, 'soon' as const]) await expect(insert('b', flush)).rejects.toMatchObject({ code: 'storage_failed' });
    await expect(commits.unflushed).rejects.toMatchObject({ code: 'storage_failed' });
    expect(() => commits.check()).toThrow(expect.objectContaining({ code: 'storage_failed' }));
    await expect(commits.close()).rejects.toMatchObject({ code: 'storage_failed' });
    expect(begun).toBe(1);
  });

  it('acknowledges what is to be flushed soon once it is committed, and flushes it by itself', async () => {
    open('power');
    await insert('a', 'soon');
    expect(commits.unflushed).toBeUndefined();
    await flushing(1);
    await insert('b', 'soon');
    const flushed = commits.flush();
    flushes[0]?.resolve();
    expect(await stateOf(flushed)).toBe('waiting');
    flushes[1]?.resolve();
    await flushed;
  });

  it('flushes once for all that wait, and then no more for what was to be flushed soon', async () => {
    open('power');
    await insert('a', 'soon');
    const waiting = [insert('b'), commits.flush(), commits.flush()];
    await committed(2);
    await flushing(1);
    flushes[0]?.resolve();
    await flushing(2);
    flushes[1]?.resolve();
    await Promise.all(waiting);
    expect(commits.unflushed).toBeUndefined();
    await commits.close();
    expect(begun).toBe(2);
  });

  it('flushes what was to be flushed soon before it is closed', async () => {
    open('power');
    await insert('a', 'soon');
    const closing = commits.close();
    expect(await stateOf(closing)).toBe('waiting');
    flushes[0]?.resolve();
    await closing;
  });

  it('flushes what was committed before it is closed', async () => {
    open('power');
    const write = insert('a');
    await committed(1);
    const closing = commits.close();
    expect(await stateOf(closing)).toBe('waiting');
    flushes[0]?.resolve();
    await Promise.all([write, closing]);
  });

  it('does not flush where a commit has to survive the process alone', async () => {
    open('process');
    await insert('a');
    expect([begun, commits.unflushed]).toEqual([0, undefined]);
  });
});
