import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AppError } from '../errors/app-error.js';
import { GroupCommit } from './group-commit.js';
import { openSqliteDatabase } from './open-sqlite-database.js';

describe('GroupCommit', () => {
  let folder: string;
  let database: DatabaseSync;
  let commits: GroupCommit;
  const closed = () => new AppError({ kind: 'unavailable', code: 'database_closed', message: 'Closed.' });
  const path = () => join(folder, 'notes.db');
  const insert = (text: string) => commits.run(1, () => void database.prepare('INSERT INTO notes VALUES (?)').run(text));
  const textsSeenBy = (reader: DatabaseSync) => reader.prepare('SELECT text FROM notes ORDER BY rowid').all().map(({ text }) => text);
  const outcome = (write: Promise<unknown>) => write.then(() => 'stored', () => 'failed');

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-commits-'));
    database = openSqliteDatabase(path(), [(fresh) => fresh.exec('CREATE TABLE notes (text TEXT UNIQUE)')]);
    commits = new GroupCommit(database, closed);
  });
  afterEach(async () => {
    if (database.isOpen) database.close();
    await rm(folder, { recursive: true });
  });

  it('has every write that it acknowledged where another process sees it, and shows none before', async () => {
    const other = new DatabaseSync(path(), { readOnly: true });
    const writes = ['a', 'b', 'c'].map((text) => insert(text).then(() => textsSeenBy(other)));
    expect(textsSeenBy(other)).toEqual([]);
    expect(await Promise.all(writes)).toEqual([['a', 'b', 'c'], ['a', 'b', 'c'], ['a', 'b', 'c']]);
    other.close();
  });

  it('commits the writes of one turn at once', async () => {
    const other = new DatabaseSync(path(), { readOnly: true });
    const version = () => other.prepare('PRAGMA data_version').get()?.['data_version'];
    const seen = new Set([version()]);
    await Promise.all(Array.from({ length: 20 }, (_, index) => insert(String(index)).then(() => seen.add(version()))));
    expect(seen.size).toBe(2);
    other.close();
  });

  it('lets a write wait for others, and no longer than it may', async () => {
    const other = new DatabaseSync(path(), { readOnly: true });
    const patient = (text: string, waitMs: number) =>
      commits.run(1, () => void database.prepare('INSERT INTO notes VALUES (?)').run(text), { waitMs }).then(() => textsSeenBy(other));
    const joins = patient('waits', 60_000);
    await insert('does not');
    expect(await joins).toEqual(['waits', 'does not']);
    expect(await patient('is alone', 1)).toEqual(['waits', 'does not', 'is alone']);
    other.close();
  });

  it('commits what waits when it closes', async () => {
    const written = commits.run(1, () => void database.prepare('INSERT INTO notes VALUES (?)').run('waits'), { waitMs: 60_000 });
    commits.close();
    await written;
    expect(textsSeenBy(database)).toEqual(['waits']);
  });

  it('lets a write see those before it, and gives what it gave', async () => {
    const count = () => commits.run(1, () => Number(database.prepare('SELECT count(*) AS count FROM notes').get()?.['count']));
    const [, before, , after] = await Promise.all([insert('a'), count(), insert('b'), count()]);
    expect([before, after]).toEqual([1, 2]);
  });

  it('fails the write alone that conflicts, with all it did', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 3 }), { maxLength: 12 }), async (groups) => {
        database.exec('DELETE FROM notes');
        const add = database.prepare('INSERT INTO notes VALUES (?)');
        const ended = await Promise.all(groups.map((texts) => outcome(commits.run(texts.length, () => texts.forEach((text) => add.run(String(text)))))));
        const expected = new Set<string>();
        const expectedEnds = groups.map((texts) => {
          const fits = new Set(texts).size === texts.length && texts.every((text) => !expected.has(String(text)));
          if (fits) texts.forEach((text) => expected.add(String(text)));
          return fits ? 'stored' : 'failed';
        });
        expect(ended).toEqual(expectedEnds);
        expect(textsSeenBy(database)).toEqual([...expected]);
      }),
    );
  });

  it('fails the write alone that throws', async () => {
    const broken = commits.run(1, () => {
      database.prepare('INSERT INTO notes VALUES (?)').run('half');
      throw new Error('broken');
    });
    const writes = [insert('a'), broken, insert('b')];
    await expect(broken).rejects.toThrow('broken');
    await Promise.allSettled(writes);
    expect(textsSeenBy(database)).toEqual(['a', 'b']);
  });

  it('acknowledges none of a group that the disk does not take', async () => {
    const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
    database.exec(`PRAGMA max_page_count = ${pages}`);
    const large = Array.from({ length: 3 }, (_, index) => insert(String(index).repeat(100_000)));
    for (const { reason, status } of (await Promise.allSettled(large)) as PromiseRejectedResult[]) {
      expect([status, (reason as AppError).code]).toEqual(['rejected', 'storage_full']);
    }
    expect(textsSeenBy(database)).toEqual([]);
    database.exec('PRAGMA max_page_count = 1000000');
    await insert('a');
    expect(textsSeenBy(database)).toEqual(['a']);
  });

  it('commits what it was given before it closed, and takes no more', async () => {
    const given = insert('a');
    commits.close();
    await given;
    expect(textsSeenBy(database)).toEqual(['a']);
    await expect(insert('b')).rejects.toMatchObject({ code: 'database_closed' });
  });
});
