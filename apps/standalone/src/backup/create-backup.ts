import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { snapshotTogether, type DatabaseSnapshot } from '@parlance/platform/sqlite';
import { DocumentsFile, MediaSnapshot } from '@parlance/storage';
import { API_KEY, MEDIA_FOLDER, newManifest, type BackupManifest } from './backup-format.js';
import type { BackupKeys } from './backup-keys.js';
import { requireOwner, type BackupSources } from './backup-sources.js';
import { BackupWriter } from './backup-writer.js';
import { stagingFolder } from './staging-folder.js';

interface CreateBackupOptions {
  sources: BackupSources;
  /** A file that does not exist. */
  target: string;
  keys?: BackupKeys | undefined;
  productVersion: string;
}

/**
 * Makes a backup of one moment, whether or not the product runs: the databases by read snapshots taken together, the media by
 * holding removals until they are copied. Writers are held for the snapshots only.
 * @throws ConfigError for another user than that of the product; AppError backup_running, backup_interrupted, storage_busy, storage_full
 */
export async function createBackup({ sources, target, keys, productVersion }: CreateBackupOptions): Promise<BackupManifest> {
  requireOwner(sources);
  const staging = stagingFolder(sources.dataFolder);
  // Before the databases: what they name at the moment is there until it is copied. It also keeps a second backup out.
  const media = await MediaSnapshot.open(sources.mediaFolder);
  try {
    await rm(staging, { recursive: true, force: true });
    const { moment, heldMs } = await copyDatabases(sources.databases, staging);
    const writer = new BackupWriter(target, keys);
    try {
      for (const name of sources.databases.values()) await writer.addFile(name, join(staging, name));
      await addMedia(writer, media, jobsIn(staging));
      await media.requireHeld();
      await writer.addFile(API_KEY, sources.apiKeyFile);
      const schema = Object.fromEntries([...sources.databases.values()].map((name) => [name, schemaVersionOf(join(staging, name))]));
      const { parts } = writer;
      const manifest = newManifest({ product_version: productVersion, moment: moment.toISOString(), writers_held_ms: heldMs, schema_versions: schema, models: sources.models, parts });
      await writer.finish(manifest);
      return manifest;
    } catch (error) {
      await writer.abandon();
      throw error;
    }
  } finally {
    await rm(staging, { recursive: true, force: true });
    await media.close();
  }
}

/** Snapshots end one by one: the write-ahead log of a database is not emptied as long as its snapshot lasts. */
async function copyDatabases(databases: ReadonlyMap<string, string>, staging: string): Promise<{ moment: Date; heldMs: number }> {
  const { snapshots, moment, heldMs } = await snapshotTogether([...databases.keys()]);
  try {
    for (const snapshot of snapshots) await copied(snapshot, join(staging, databases.get(snapshot.path) ?? ''));
  } finally {
    for (const snapshot of snapshots) snapshot.close();
  }
  return { moment, heldMs };
}

async function copied(snapshot: DatabaseSnapshot, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await snapshot.copyTo(target);
  snapshot.close();
}

/** Jobs that were there, and not deleted, at the moment. Undefined without their database. */
function jobsIn(staging: string): Set<string> {
  const jobs = new DocumentsFile(join(staging, 'documents', 'ingest.db'));
  try {
    return new Set(jobs.idsWith('jobs', 'accountId'));
  } finally {
    jobs.close();
  }
}

/** Objects of later and of deleted jobs are left out: nothing in the backup refers to them. */
async function addMedia(writer: BackupWriter, media: MediaSnapshot, jobs: ReadonlySet<string>): Promise<void> {
  const added = new Set<string>();
  for await (const { key, path } of media.objects()) {
    const [, jobId = ''] = key.split('/');
    if (added.has(key) || !jobs.has(jobId)) continue;
    if (await writer.addFile(`${MEDIA_FOLDER}${key}`, path)) added.add(key);
  }
}

/** `PRAGMA user_version` of a database that nothing else uses. */
function schemaVersionOf(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  } finally {
    database.close();
  }
}
