import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError, ConfigError } from '@parlance/platform';
import { fromSqliteError, isDamage } from '@parlance/platform/sqlite';

/**
 * Keeps a second process off the same data folder. The lock is an open SQLite transaction,
 * so that the operating system lets it go when the process dies, however it dies.
 * @throws ConfigError when another process has it, or the lock's file is damaged.
 */
export function lockDataFolder(dataFolder: string): () => void {
  mkdirSync(join(dataFolder, 'run'), { recursive: true, mode: 0o700 });
  const path = join(dataFolder, 'run', 'lock.db');
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isDamage(error)) throw new ConfigError([`PARLANCE_DATA: ${path} is damaged, or not a database; nothing is kept in it: remove it and start again`]);
    const known = fromSqliteError(error);
    // A full disk is nobody else's doing.
    if (!(known instanceof AppError) || known.code !== 'storage_busy') throw known;
    throw new ConfigError([`PARLANCE_DATA: another Parlance process is using ${dataFolder}; stop it or choose another folder`]);
  }
  return () => database.close();
}
