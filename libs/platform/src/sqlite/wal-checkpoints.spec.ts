import { cp, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '../errors/app-error.js';
import { GroupCommit } from './group-commit.js';
import { openSqliteDatabase } from './open-sqlite-database.js';
import { WAL_BYTES, WalCheckpoints, type EmptyingTimes } from './wal-checkpoints.js';

/** A twentieth of a production's. */
const EMPTYING: EmptyingTimes = { quietMs: 250, withinMs: 3000, soonMs: 50 };

describe('WalCheckpoints', () => {
  let folder: string;
  let database: DatabaseSync;
  let commits: GroupCommit;
  const path = () => join(folder, 'notes.db');
  const size = async (file: string) => (await stat(file)).size;
  const closed = () => new AppError({ kind: 'unavailable', code: 'database_closed', message: 'Closed.' });
  const kilobytes = (count: number) => commits.run(1, () => void database.prepare('INSERT INTO notes VALUES (zeroblob(?))').run(count * 1024));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-checkpoints-'));
    database = openSqliteDatabase(path(), [(fresh) => fresh.exec('CREATE TABLE notes (body BLOB)')]);
    commits = new GroupCommit(database, closed);
  });
  afterEach(async () => {
    database.close();
    await rm(folder, { recursive: true });
  });

  it('bring a long log into its file, and it is short again', async () => {
    await kilobytes(6 * 1024);
    expect(await size(`${path()}-wal`)).toBeGreaterThan(WAL_BYTES);
    while ((await size(path())) < 6 * 1024 * 1024) await pause(20);
    // The first write after a whole checkpoint begins the log anew. One that comes as it is ending has to wait for the next.
    while ((await size(`${path()}-wal`)) > WAL_BYTES) await pause(20).then(() => kilobytes(256));
  });

  it('lose nothing while writes go on', async () => {
    for (let written = 0; written < 200; written += 1) await kilobytes(100);
    database.close();
    database = openSqliteDatabase(path(), [() => {}]);
    expect(database.prepare('PRAGMA integrity_check').get()).toMatchObject({ integrity_check: 'ok' });
    expect(database.prepare('SELECT count(*) AS count, sum(length(body)) AS bytes FROM notes').get()).toMatchObject({ count: 200, bytes: 200 * 100 * 1024 });
  });

  it('are over once the commits are closed: nothing opens the file any more', async () => {
    for (let times = 0; times < 5; times += 1) {
      await kilobytes(512);
      let isOver = false;
      const emptied = WalCheckpoints.emptyAll().then(() => (isOver = true));
      await commits.close();
      await nextTurn();
      expect(isOver).toBe(true);
      await emptied;
      database.close();
      expect(await readdir(folder)).toEqual(['notes.db']);
      database = openSqliteDatabase(path(), [() => {}]);
      commits = new GroupCommit(database, closed);
    }
  });

  describe('of what was erased', () => {
    const MARKER = 'what was said between two people';
    const files = () => [path(), `${path()}-wal`];
    const traces = async () => (await Promise.all(files().map((file) => readFile(file)))).map((bytes) => bytes.includes(MARKER));
    const write = (sql: string) => commits.run(1, () => void database.exec(sql));
    const hurry = () => void (commits = new GroupCommit(database, closed, { emptying: EMPTYING }));
    const store = () => write(`INSERT INTO notes VALUES ('${`${MARKER} `.repeat(500)}')`);

    it('leave nothing in the file or the log', async () => {
      hurry();
      await store();
      expect(await traces()).toContain(true);
      await write("DELETE FROM notes WHERE typeof(body) = 'text'");
      commits.leaveNoTrace();
      while ((await traces()).includes(true)) await pause(20);
      await kilobytes(1);
      expect(await traces()).toEqual([false, false]);
    });

    it('need not be asked for: what a change overwrote goes a little later', async () => {
      hurry();
      await store();
      await write("UPDATE notes SET body = NULL WHERE typeof(body) = 'text'");
      while ((await traces()).includes(true)) await pause(20);
    });

    it('come when somebody who reads has ended', async () => {
      hurry();
      await store();
      const reader = new DatabaseSync(path(), { readOnly: true });
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM notes').get();
      await write("DELETE FROM notes WHERE typeof(body) = 'text'");
      commits.leaveNoTrace();
      // The thread does one after the other: when this one is empty, that one was tried.
      const later = openSqliteDatabase(join(folder, 'later.db'), [(fresh) => fresh.exec('CREATE TABLE notes (body BLOB)')]);
      const laterCommits = new GroupCommit(later, closed, { emptying: EMPTYING });
      await laterCommits.run(1, () => later.exec('INSERT INTO notes VALUES (1)'));
      laterCommits.leaveNoTrace();
      while ((await size(join(folder, 'later.db-wal'))) > 0) await pause(20);
      later.close();
      expect(await traces()).toContain(true);
      reader.close();
      while ((await traces()).includes(true)) await pause(20);
    });

    it('are made up for at the start after a death', async () => {
      await store();
      await write("DELETE FROM notes WHERE typeof(body) = 'text'");
      expect(await traces()).toContain(true);
      const copy = join(folder, 'copy.db');
      for (const end of ['', '-wal']) await cp(`${path()}${end}`, `${copy}${end}`);
      const found = openSqliteDatabase(copy, [() => {}]);
      for (const end of ['', '-wal']) expect((await readFile(`${copy}${end}`)).includes(MARKER)).toBe(false);
      found.close();
    });
  });

  it('do not bring back a file that is gone', async () => {
    await kilobytes(6 * 1024);
    database.close();
    await rm(path());
    database = openSqliteDatabase(join(folder, 'other.db'), [(fresh) => fresh.exec('CREATE TABLE notes (body BLOB)')]);
    commits = new GroupCommit(database, closed);
    await kilobytes(6 * 1024);
    while ((await size(join(folder, 'other.db'))) < 6 * 1024 * 1024) await pause(20);
    await expect(stat(path())).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
