import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isErasedAccount, type Erased } from '@parlance/ingest/operators';
import { AppError, syncFolder } from '@parlance/platform';
import { RESTORING } from '@parlance/runtime/data-folder-lock';
import type { BackupManifest } from './backup-format.js';
import { MEDIA_FOLDER } from './backup-format.js';
import type { BackupKeys } from './backup-keys.js';
import { readBackup } from './backup-reader.js';
import { extractTo, proveDatabases } from './verify-backup.js';
import { requireNothingSealed, restoreWrappedKeys } from './wrapped-keys.js';

export interface RestoreOptions {
  path: string;
  keys: BackupKeys | undefined;
  /** The data folder; must be empty, or not exist. */
  folder: string;
  /** The copy of the wrapped keys; undefined: the backup has nothing that is encrypted at rest. */
  wrappedKeys?: string | undefined;
  /** Since the backup's moment, at least. */
  erased: readonly Erased[];
  /** Erases them in the folder. @returns how many were there */
  replay: (folder: string, erased: readonly Erased[]) => Promise<number>;
}

interface RestoreReport {
  manifest: BackupManifest;
  erasedAgain: number;
}

/**
 * Puts a data folder there from which the product starts. Nothing has its name before the whole backup is proved, and the
 * product refuses the folder until the erasures are replayed.
 * @throws AppError backup_damaged, folder_not_empty; ConfigError when the wrapped keys are missing
 */
export async function restoreBackup({ path, keys, folder: target, wrappedKeys, erased, replay }: RestoreOptions): Promise<RestoreReport> {
  const folder = resolve(target);
  const restoring = join(folder, RESTORING);
  await requireEmpty(folder);
  const gone = new Set(erased.map((each) => (isErasedAccount(each) ? each.accountId : each.jobId)));
  const folders = new Set<string>();
  try {
    await mkdir(restoring, { recursive: true, mode: 0o700 });
    const { manifest } = await readBackup(path, keys, async (name, bytes) => {
      // Never written, so that nothing of it can be found on the disk.
      if (isMediaOf(gone, name)) return;
      await extractTo(join(restoring, name), bytes);
      folders.add(dirname(join(restoring, name)));
    });
    for (const each of folders) await syncFolder(each);
    proveDatabases(restoring, manifest);
    if (wrappedKeys === undefined) requireNothingSealed(restoring);
    else await restoreWrappedKeys(wrappedKeys, restoring);
    for (const name of await readdir(restoring)) await rename(join(restoring, name), join(folder, name));
    const erasedAgain = erased.length === 0 ? 0 : await replay(folder, erased);
    await rm(restoring, { recursive: true });
    await syncFolder(folder);
    return { manifest, erasedAgain };
  } catch (error) {
    for (const name of await readdir(folder).catch(() => [])) await rm(join(folder, name), { recursive: true, force: true });
    throw error;
  }
}

async function requireEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (names.length === 0) return;
  throw new AppError({ kind: 'conflict', code: 'folder_not_empty', message: `${folder} is not empty: a backup can only be restored into an empty folder.` });
}

/** @param erased ids of jobs, and of accounts: the first two segments of a key. */
const isMediaOf = (erased: ReadonlySet<string>, name: string): boolean => name.startsWith(MEDIA_FOLDER) && name.slice(MEDIA_FOLDER.length).split('/').slice(0, 2).some((id) => erased.has(id));
