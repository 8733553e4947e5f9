import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openSqliteDatabase } from './open-sqlite-database.js';
import { snapshotTogether } from './snapshot-together.js';

/** Writes the same rising number to one file after the other, as a job, its event and its bill are written. */
const WRITER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const inserts = workerData.map((path) => new DatabaseSync(path, { timeout: 5000 }).prepare('INSERT INTO steps VALUES (?)'));
  let ended = false;
  parentPort.once('message', () => (ended = true));
  let step = 0;
  const write = () => {
    for (let count = 0; count < 5; count += 1) {
      step += 1;
      for (const insert of inserts) insert.run(step);
    }
    if (ended) parentPort.postMessage(step), parentPort.close();
    else setImmediate(write);
  };
  write();
`;

describe('snapshots of several databases', () => {
  let folder: string;
  let paths: string[];
  const stepsOf = (path: string) => {
    const database = new DatabaseSync(path, { timeout: 5000 });
    const { count, last } = database.prepare('SELECT count(*) AS count, coalesce(max(step), 0) AS last FROM steps').get() as { count: number; last: number };
    const integrity = database.prepare('PRAGMA integrity_check').get()?.['integrity_check'];
    database.close();
    return { count, last, integrity };
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-snapshots-'));
    paths = ['a', 'b', 'c'].map((name) => join(folder, `${name}.db`));
    for (const path of paths) openSqliteDatabase(path, [(fresh) => fresh.exec('CREATE TABLE steps (step INTEGER)')]).close();
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are of one moment while another thread writes to one file after the other', async () => {
    const writer = new Worker(WRITER, { eval: true, workerData: paths });
    while (stepsOf(paths[2]!).last < 10) await new Promise((resolve) => setTimeout(resolve, 5));
    for (let round = 0; round < 10; round += 1) {
      const { snapshots } = await snapshotTogether(paths);
      const copies = snapshots.map((_, index) => join(folder, `copy-${round}-${index}.db`));
      for (const [index, snapshot] of snapshots.entries()) {
        await snapshot.copyTo(copies[index]!);
        snapshot.close();
      }
      const [first, second, third] = copies.map(stepsOf) as [ReturnType<typeof stepsOf>, ReturnType<typeof stepsOf>, ReturnType<typeof stepsOf>];
      for (const { count, last, integrity } of [first, second, third]) expect({ count, integrity }).toEqual({ count: last, integrity: 'ok' });
      // The writer was between two files at most, and never ahead in a later one.
      expect(first.last - third.last).toBeLessThanOrEqual(1);
      expect([first.last >= second.last, second.last >= third.last]).toEqual([true, true]);
    }
    writer.postMessage('end');
    await once(writer, 'message');
  });

  it('hold no writer any longer once they are taken', async () => {
    const { snapshots, heldMs } = await snapshotTogether(paths);
    const database = new DatabaseSync(paths[0]!, { timeout: 0 });
    database.exec('INSERT INTO steps VALUES (1)');
    database.close();
    await snapshots[0]!.copyTo(join(folder, 'copy.db'));
    expect(stepsOf(join(folder, 'copy.db')).count).toBe(0);
    expect(heldMs).toBeGreaterThan(0);
    for (const snapshot of snapshots) snapshot.close();
  });

  it('wait for each further lock only what remains of the time that writers may be held', async () => {
    const begin = DatabaseSync.prototype.exec;
    const timeouts: number[] = [];
    const exec = jest.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql: string) {
      begin.call(this, sql);
      if (sql !== 'BEGIN IMMEDIATE') return;
      timeouts.push(Number(this.prepare('PRAGMA busy_timeout').get()?.['timeout']));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    });
    const { snapshots } = await snapshotTogether(paths, { maxHoldMs: 60_000 });
    exec.mockRestore();
    for (const taken of snapshots) taken.close();
    expect(timeouts).toHaveLength(3);
    expect(timeouts[0]).toBe(60_000);
    // The second lock was waited for, for 20 ms, while the first was held.
    expect(timeouts[2]).toBeLessThanOrEqual(60_000 - 20);
  });

  it('give up, and leave every lock, while one writer never ends', async () => {
    const busy = new DatabaseSync(paths[2]!);
    busy.exec('BEGIN IMMEDIATE');
    await expect(snapshotTogether(paths, { maxHoldMs: 20, attempts: 2 })).rejects.toMatchObject({ code: 'storage_busy' });
    const other = new DatabaseSync(paths[0]!, { timeout: 0 });
    other.exec('INSERT INTO steps VALUES (1)');
    for (const database of [busy, other]) database.close();
  });
});
