import { DatabaseSync } from 'node:sqlite';

/** `PRAGMA user_version` of a database that nothing else uses. */
export function schemaVersionOf(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  } finally {
    database.close();
  }
}
