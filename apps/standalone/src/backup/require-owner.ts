import { statSync } from 'node:fs';
import { ConfigError } from '@parlance/platform';
import type { BackupSources } from './backup-sources.js';

/**
 * Another user, such as root, would leave folders beside the media that the product cannot enter, and every removal would fail.
 * The databases are looked at, not the folder: a mounted volume may belong to root.
 * @param user effective one; undefined where the system has none
 * @throws ConfigError
 */
export function requireOwner({ dataFolder, databases }: Pick<BackupSources, 'dataFolder' | 'databases'>, user = process.geteuid?.()): void {
  if (user === undefined) return;
  for (const path of databases.keys()) {
    const { uid } = statSync(path);
    if (uid !== user) throw new ConfigError([`PARLANCE_DATA: the data in ${dataFolder} belongs to user ${uid}, and this is user ${user}; run the backup as that user (sudo -u '#${uid}')`]);
  }
}
