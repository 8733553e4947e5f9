import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DocumentsFile } from '@parlance/storage';
import { badBackup } from './backup-faults.js';
import { isDatabase, MEDIA_FOLDER, type BackupManifest } from './backup-format.js';
import type { BackupKeys } from './backup-keys.js';
import { readBackup } from './backup-reader.js';

/** The content of a backup. */
export interface BackupContents {
  manifest: BackupManifest;
  isEncrypted: boolean;
  accounts: number;
  jobs: Record<string, number>;
  databases: number;
  mediaObjects: number;
  bytes: number;
}

/** Reads the whole backup, and opens its databases in a folder of the system's temporary one. @throws AppError backup_damaged */
export async function verifyBackup(path: string, keys: BackupKeys | undefined): Promise<BackupContents> {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-backup-'));
  try {
    const { manifest, isEncrypted } = await readBackup(path, keys, async (name, bytes) => {
      if (isDatabase(name)) await extractTo(join(folder, name), bytes);
    });
    const names = manifest.parts.map(({ name }) => name);
    const databases = names.filter(isDatabase);
    proveDatabases(folder, manifest);
    const [accounts, jobs] = [countsIn(folder, names, 'gateway', 'accounts', 'plan'), countsIn(folder, names, 'ingest', 'jobs', 'status')];
    return {
      manifest,
      isEncrypted,
      accounts: [...accounts.values()].reduce((sum, count) => sum + count, 0),
      jobs: Object.fromEntries([...jobs].map(([status, count]) => [status || 'deleted', count])),
      databases: databases.length,
      mediaObjects: names.filter((name) => name.startsWith(MEDIA_FOLDER)).length,
      bytes: manifest.parts.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** For its owner alone, and on the disk. */
export async function extractTo(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await pipeline(Readable.from(bytes, { objectMode: false }), createWriteStream(path, { mode: 0o600, flags: 'wx', flush: true }));
}

/** @throws AppError backup_damaged */
export function proveDatabases(folder: string, { parts }: BackupManifest): void {
  for (const { name } of parts.filter((part) => isDatabase(part.name))) {
    const [fault] = on(join(folder, name), (file) => file.faults());
    if (fault !== undefined) throw badBackup(`${name} is damaged: ${fault}`);
  }
}

function countsIn(folder: string, names: readonly string[], service: string, collection: string, field: string): Map<string, number> {
  const name = `documents/${service}.db`;
  return names.includes(name) ? on(join(folder, name), (file) => file.countBy(collection, field)) : new Map<string, number>();
}

function on<R>(path: string, work: (file: DocumentsFile) => R): R {
  const file = new DocumentsFile(path);
  try {
    return work(file);
  } finally {
    file.close();
  }
}
