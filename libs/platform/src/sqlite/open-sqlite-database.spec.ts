import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Logger } from '../logging/logger.js';
import { inTransaction, openSqliteDatabase, type Migration } from './open-sqlite-database.js';
import { fromSqliteError, isConstraintViolation } from './sqlite-errors.js';

const first: Migration = (database) => database.exec('CREATE TABLE notes (text TEXT UNIQUE)');
const second: Migration = (database) => database.exec('ALTER TABLE notes ADD COLUMN author TEXT');

/** Is in the middle of a write when it says so, and ends it a little later. */
const WRITER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const database = new (require('node:sqlite').DatabaseSync)(workerData);
  database.exec('BEGIN IMMEDIATE; CREATE TABLE others (text TEXT)');
  parentPort.postMessage('writes');
  setTimeout(() => { database.exec('COMMIT'); database.close(); }, 100);
`;

describe('openSqliteDatabase', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-sqlite-'));
    path = join(folder, 'below', 'notes.db');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('makes a file for its owner alone', async () => {
    openSqliteDatabase(path, [first]).close();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'below'))).mode & 0o777).toBe(0o700);
  });

  it('brings an older file up to date and leaves its rows', () => {
    const old = openSqliteDatabase(path, [first]);
    old.exec("INSERT INTO notes VALUES ('kept')");
    old.close();
    const database = openSqliteDatabase(path, [first, second]);
    expect({ ...database.prepare('SELECT * FROM notes').get() }).toEqual({ text: 'kept', author: null });
    database.close();
  });

  it('keeps a copy of a file as it was before a migration, for its owner alone, and says so', async () => {
    openSqliteDatabase(path, [first]).close();
    const copies = async () => (await readdir(join(folder, 'below'))).filter((name) => name.endsWith('.copy'));
    expect(await copies()).toEqual([]);
    const old = openSqliteDatabase(path, [first]);
    old.exec("INSERT INTO notes VALUES ('kept')");
    old.close();
    const said: object[] = [];
    openSqliteDatabase(path, [first, second], { log: { info: (line: object) => void said.push(line) } as unknown as Logger }).close();
    const [name = ''] = await copies();
    const copy = join(folder, 'below', name);
    expect(said).toEqual([{ file: path, copy, from: 1, to: 2 }]);
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    const before = openSqliteDatabase(copy, [first]);
    expect({ ...before.prepare('SELECT * FROM notes').get() }).toEqual({ text: 'kept' });
    before.close();
    // The way back: the older version takes the copy, and refuses the migrated file.
    expect(() => openSqliteDatabase(path, [first])).toThrow(/newer version/);
  });

  it('keeps the three newest copies, and none for more than seven days', async () => {
    const migrations = Array.from({ length: 6 }, (_, index): Migration => (database) => database.exec(`CREATE TABLE t${index} (a TEXT)`));
    for (let version = 1; version <= 6; version += 1) openSqliteDatabase(path, migrations.slice(0, version)).close();
    const copies = async () => (await readdir(join(folder, 'below'))).filter((name) => name.endsWith('.copy')).toSorted();
    expect((await copies()).map((name) => /schema-(\d)/.exec(name)?.[1])).toEqual(['3', '4', '5']);
    const eightDaysAgo = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
    for (const name of (await copies()).slice(0, 2)) await utimes(join(folder, 'below', name), eightDaysAgo, eightDaysAgo);
    openSqliteDatabase(path, migrations).close();
    expect((await copies()).map((name) => /schema-(\d)/.exec(name)?.[1])).toEqual(['5']);
  });

  it('leaves a file as it was when a migration fails', () => {
    openSqliteDatabase(path, [first]).close();
    const broken: Migration = (database) => {
      second(database);
      throw new Error('half way');
    };
    expect(() => openSqliteDatabase(path, [first, broken])).toThrow('half way');
    const database = openSqliteDatabase(path, [first, second]);
    expect(database.prepare('SELECT author FROM notes').all()).toEqual([]);
    database.close();
  });

  it('waits for a process that makes the same file', async () => {
    await mkdir(join(folder, 'below'));
    const writer = new Worker(WRITER, { eval: true, workerData: path });
    await once(writer, 'message');
    const database = openSqliteDatabase(path, [first]);
    expect(database.prepare('PRAGMA journal_mode').get()?.['journal_mode']).toBe('wal');
    database.close();
    await once(writer, 'exit');
  });

  it('names a file that is damaged: there are nine of them', async () => {
    openSqliteDatabase(path, [first]).close();
    await writeFile(path, 'x'.repeat(8192));
    expect(() => openSqliteDatabase(path, [first])).toThrow(`${path} is damaged, or not a database.`);
  });

  it('refuses a file of a newer version', () => {
    openSqliteDatabase(path, [first, second]).close();
    expect(() => openSqliteDatabase(path, [first])).toThrow(/newer version/);
  });

  it('undoes a transaction that throws', () => {
    const database = openSqliteDatabase(path, [first]);
    const fail = () =>
      inTransaction(database, () => {
        database.exec("INSERT INTO notes VALUES ('gone')");
        throw new Error('no');
      });
    expect(fail).toThrow('no');
    expect(database.prepare('SELECT count(*) AS count FROM notes').get()?.['count']).toBe(0);
    database.close();
  });

  it('names a full disk, and knows a constraint', () => {
    const database = openSqliteDatabase(path, [first]);
    const caught = (sql: string): unknown => {
      try {
        database.exec(sql);
        return undefined;
      } catch (error) {
        return error;
      }
    };
    expect(isConstraintViolation(caught("INSERT INTO notes VALUES ('a'), ('a')"))).toBe(true);
    database.exec('PRAGMA max_page_count = 1');
    expect(fromSqliteError(caught('INSERT INTO notes VALUES (hex(zeroblob(100000)))'))).toMatchObject({ kind: 'unavailable', code: 'storage_full' });
    const other = new Error('other');
    expect(fromSqliteError(other)).toBe(other);
    database.close();
  });
});
