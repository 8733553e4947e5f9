import { DatabaseSync } from 'node:sqlite';
import { removeMigrationCopies } from './migration-copies.js';

/**
 * Writes the database anew, so that nothing of what it had before is left: in free pages, in its write-ahead log, in copies from before
 * a migration. No other process may have it open. It needs as much room as the database once more.
 */
export function rewriteDatabase(path: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA secure_delete = ON; VACUUM; PRAGMA wal_checkpoint(TRUNCATE);');
  } finally {
    database.close();
  }
  removeMigrationCopies(path);
}
