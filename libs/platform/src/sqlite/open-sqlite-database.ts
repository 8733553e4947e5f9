import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { foldersUpTo, syncFolderSync } from '../files/durable-files.js';
import type { Logger } from '../logging/logger.js';
import type { Durability } from './durability.js';
import { boundMigrationCopies, copyBeforeMigration } from './migration-copies.js';
import { isBusy, isDamage } from './sqlite-errors.js';
import { logSize, WAL_BYTES } from './wal-checkpoints.js';

/** Milliseconds to wait for another process's write to end. Those of Parlance take a few. */
const BUSY_TIMEOUT_MS = 5000;
const SWITCH_AGAIN_MS = 10;

/** Pages in the write-ahead log (64 MB) at which a commit brings them into the file itself: `WalCheckpoints` lags behind. */
const LAST_RESORT_PAGES = 16_384;

/** One step of the schema: step n brings a file of version n - 1 to version n. */
export type Migration = (database: DatabaseSync) => void;

/**
 * Opens the file, which only its owner may read, and brings its schema up to date (`PRAGMA user_version`), after
 * a copy of a file that has something in it.
 * @param commits what a commit by itself survives. `process` is WAL mode with `synchronous=NORMAL`: when the power fails, the
 * last moments of work may be missing, and the file is whole (https://www.sqlite.org/pragma.html#pragma_synchronous).
 * `GroupCommit` flushes them without holding the event loop. `power` is for threads that may wait for the disk.
 * @throws Error that names the file when it is damaged, and when a newer version of Parlance has written it.
 */
export function openSqliteDatabase(path: string, migrations: readonly Migration[], { commits = 'process', log }: { commits?: Durability; log?: Pick<Logger, 'info'> | undefined } = {}): DatabaseSync {
  makeFile(path);
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // Deleted data is overwritten: an erased transcript must not stay readable in the file's free pages.
    switchToWal(database);
    database.exec(`PRAGMA synchronous = ${commits === 'power' ? 'FULL' : 'NORMAL'}; PRAGMA secure_delete = ON;`);
    database.exec(`PRAGMA journal_size_limit = ${WAL_BYTES}; PRAGMA wal_autocheckpoint = ${LAST_RESORT_PAGES};`);
    // A process that was killed may not have emptied the log of what it erased.
    if (logSize(path) > 0) database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    migrate(database, path, migrations, log);
    boundMigrationCopies(path);
    return database;
  } catch (error) {
    database.close();
    throw isDamage(error) ? new Error(`${path} is damaged, or not a database.`, { cause: error }) : error;
  }
}

/** With its name on the disk, and those of the folders made for it. SQLite does the same for the write-ahead log. */
function makeFile(path: string): void {
  if (existsSync(path)) return;
  const folder = dirname(path);
  const firstMade = mkdirSync(folder, { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  foldersUpTo(firstMade === undefined ? folder : dirname(firstMade), folder).forEach(syncFolderSync);
}

/** SQLite does not wait for a process that switches the same new file: the second one fails at once because the file is locked. */
function switchToWal(database: DatabaseSync): void {
  const end = Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return database.exec('PRAGMA journal_mode = WAL');
    } catch (error) {
      if (!isBusy(error) || Date.now() > end) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SWITCH_AGAIN_MS);
  }
}

function migrate(database: DatabaseSync, path: string, migrations: readonly Migration[], log: Pick<Logger, 'info'> | undefined): void {
  const before = schemaVersion(database);
  if (before === migrations.length) return;
  if (before > 0 && before < migrations.length) {
    const copy = copyBeforeMigration(database, path, before);
    log?.info({ file: path, copy, from: before, to: migrations.length }, 'migrating a database; its copy is kept for seven days');
  }
  inTransaction(database, () => {
    const version = schemaVersion(database);
    if (version > migrations.length) throw new Error(`${path} was written by a newer version of Parlance (schema ${version}).`);
    for (const migration of migrations.slice(version)) migration(database);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

const schemaVersion = (database: DatabaseSync): number => Number(database.prepare('PRAGMA user_version').get()?.['user_version']);

/** Runs `work` as one commit, or not at all when it throws. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  return transactions(database)(work);
}

/** The same for many commits: what begins and ends them is prepared once. */
export function transactions(database: DatabaseSync): <T>(work: () => T) => T {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  return (work) => {
    begin.run();
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      // A full disk rolls back by itself.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };
}
