import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '../errors/app-error.js';
import { GroupCommit } from './group-commit.js';
import { openSqliteDatabase } from './open-sqlite-database.js';
import { WAL_BYTES } from './wal-checkpoints.js';

describe('WalCheckpoints', () => {
  let folder: string;
  let database: DatabaseSync;
  let commits: GroupCommit;
  const path = () => join(folder, 'notes.db');
  const size = async (file: string) => (await stat(file)).size;
  const closed = () => new AppError({ kind: 'unavailable', code: 'closed', message: 'Closed.' });
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
    while ((await size(path())) < 6 * 1024 * 1024) await nextTurn();
    // The first write after a whole checkpoint begins the log anew; the checkpoint may just be ending.
    while ((await size(`${path()}-wal`)) > WAL_BYTES) await kilobytes(1);
  });

  it('lose nothing while writes go on', async () => {
    for (let written = 0; written < 200; written += 1) await kilobytes(100);
    database.close();
    database = openSqliteDatabase(path(), [() => {}]);
    expect(database.prepare('PRAGMA integrity_check').get()).toMatchObject({ integrity_check: 'ok' });
    expect(database.prepare('SELECT count(*) AS count, sum(length(body)) AS bytes FROM notes').get()).toMatchObject({ count: 200, bytes: 200 * 100 * 1024 });
  });

  it('do not bring back a file that is gone', async () => {
    await kilobytes(6 * 1024);
    database.close();
    await rm(path());
    database = openSqliteDatabase(join(folder, 'other.db'), [(fresh) => fresh.exec('CREATE TABLE notes (body BLOB)')]);
    commits = new GroupCommit(database, closed);
    await kilobytes(6 * 1024);
    while ((await size(join(folder, 'other.db'))) < 6 * 1024 * 1024) await nextTurn();
    await expect(stat(path())).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
