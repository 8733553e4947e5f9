import { copyFile, chmod, mkdir, open, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError, syncFolder } from '@parlance/platform';
import { portUrls } from '@parlance/runtime/open-ports';
import { DocumentsFile, MASTER_KEY_CHECK } from '@parlance/storage';

/** The name of the copy beside the backups. */
const COPY = 'parlance-keys.db';

/** Returns where the copy of the wrapped keys is that belongs to the backups of a folder. */
export const keysBeside = (backup: string): string => join(dirname(backup), COPY);

const keysDatabase = (dataFolder: string): string => join(dataFolder, 'documents', 'keys.db');

const installedKeys = (config: Parameters<typeof portUrls>[0]): string => join(portUrls(config).documents.slice('sqlite:'.length), 'keys.db');

/**
 * The copy of another installation, or of this one before its data was lost, is the only one that opens its backups.
 *
 * @throws ConfigError when the copy beside the backup would be replaced by the keys of another installation
 */
export function requireOwnCopy(config: Parameters<typeof portUrls>[0], backup: string): void {
  const [copied, installed] = [checkIn(keysBeside(backup)), checkIn(installedKeys(config))];
  if (copied === undefined || installed === undefined || copied === installed) return;
  throw new ConfigError([`${keysBeside(backup)} has the wrapped keys of another installation, without which its backups cannot be read: use a folder of its own for the backups of this one`]);
}

/** The value that the keys of one installation have in common. */
function checkIn(database: string): string | undefined {
  if (!existsSync(database)) return undefined;
  const file = new DocumentsFile(database);
  try {
    for (const { keyId, wrapped } of file.textsOf('keys', ['keyId', 'wrapped'])) if (keyId === MASTER_KEY_CHECK) return wrapped;
    return undefined;
  } finally {
    file.close();
  }
}

/** @throws ConfigError when the jobs of the restored folder are sealed, so that they cannot be read without the wrapped keys */
export function requireNothingSealed(folder: string): void {
  const path = join(folder, 'documents', 'ingest.db');
  if (!existsSync(path)) return;
  const file = new DocumentsFile(path);
  try {
    if (file.idsWith('jobs', 'sealed').next().done !== true) throw new ConfigError([`The backup is of an installation with encryption at rest, and there is no ${COPY} beside it: name the newest copy by --wrapped-keys`]);
  } finally {
    file.close();
  }
}

/**
 * Copies the wrapped keys beside the backup, in place of the copy of the backup before: a key that was destroyed since is in none,
 * and no backup can be read with it any more. The copy is made after the backup, so that it has all of its keys.
 *
 * @returns its path; undefined when the installation has no keys
 */
export async function copyWrappedKeys(config: Parameters<typeof portUrls>[0], backup: string): Promise<string | undefined> {
  const source = installedKeys(config);
  if (!existsSync(source)) return undefined;
  const target = keysBeside(backup);
  const fresh = `${target}.new`;
  await rm(fresh, { force: true });
  const database = new DatabaseSync(source, { readOnly: true });
  try {
    database.prepare('VACUUM INTO ?').run(fresh);
  } finally {
    database.close();
  }
  await makeDurable(fresh);
  await rename(fresh, target);
  await syncFolder(dirname(target));
  return target;
}

/** Puts the copy into a data folder that is being restored. */
export async function restoreWrappedKeys(copy: string, dataFolder: string): Promise<void> {
  const target = keysDatabase(dataFolder);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await copyFile(copy, target);
  await makeDurable(target);
  await syncFolder(dirname(target));
}

/** For its owner alone, and on the disk: it may take the place of the only other copy. */
async function makeDurable(path: string): Promise<void> {
  await chmod(path, 0o600);
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
