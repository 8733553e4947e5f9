import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError, ConfigError } from '@parlance/platform';
import { fromSqliteError, isDamage } from '@parlance/platform/sqlite';

/** The file that marks a data folder while a backup is restored into it: the other files are incomplete. */
export const RESTORING = 'restoring';

/**
 * Keeps a second process off the same data folder. The lock is an open SQLite transaction,
 * so that the operating system releases it when the process dies, however it dies.
 * @throws ConfigError when another process has it, the lock's file is damaged, or a restore into the folder has not ended.
 */
export function lockDataFolder(dataFolder: string): () => void {
  if (existsSync(join(dataFolder, RESTORING))) throw new ConfigError([`PARLANCE_DATA: a restore into ${dataFolder} has not finished; when none is running, empty the folder and restore again`]);
  mkdirSync(join(dataFolder, 'run'), { recursive: true, mode: 0o700 });
  const path = join(dataFolder, 'run', 'lock.db');
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isDamage(error)) throw new ConfigError([`PARLANCE_DATA: ${path} is damaged, or not a database; it contains no data: remove it and start again`]);
    const known = fromSqliteError(error);
    // A full disk does not mean that another process holds the lock.
    if (!(known instanceof AppError) || known.code !== 'storage_busy') throw known;
    throw new ConfigError([`PARLANCE_DATA: another Parlance process is using ${dataFolder}; stop it or choose another folder`]);
  }
  return () => database.close();
}
