import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '@parlance/platform';
import { extract, type Entry } from 'tar-stream';
import { badBackup } from './backup-faults.js';
import { isPart, MANIFEST, parseManifest, type BackupManifest, type BackupPart } from './backup-format.js';
import { decrypted, isEncrypted, type BackupKeys } from './backup-keys.js';

const NO_KEYS: BackupKeys = { recipients: [], identities: [] };
/** The size of a manifest of a few million parts. */
const MAX_MANIFEST_BYTES = 1024 ** 3;

interface ReadBackup {
  manifest: BackupManifest;
  isEncrypted: boolean;
}

/**
 * Reads the backup once, from its beginning to its end, and proves every part against the manifest.
 * @param take gets each part's bytes; what it wrote counts only once this has resolved. It need not read them.
 * @throws AppError backup_damaged
 */
export async function readBackup(path: string, keys: BackupKeys = NO_KEYS, take: (name: string, bytes: AsyncIterable<Uint8Array>) => Promise<void> = async () => {}): Promise<ReadBackup> {
  const source = await sourceOf(path, keys);
  const archive = extract();
  const seen = new Map<string, BackupPart>();
  let manifest: BackupManifest | undefined;
  const reading = (async () => {
    for await (const entry of archive as AsyncIterable<Entry>) {
      if (manifest) throw badBackup('data follows its manifest');
      const { name, type } = entry.header;
      if (name === MANIFEST) manifest = await readManifest(entry);
      else if (type !== 'file' || !isPart(name) || seen.has(name)) throw badBackup(`${JSON.stringify(name)} is not a part of a backup`);
      else seen.set(name, await readPart(name, entry, take));
    }
  })();
  try {
    await Promise.all([pipeline(Readable.from(source.bytes, { objectMode: false }), archive), reading]);
  } catch (error) {
    await reading.catch(() => {});
    throw error instanceof AppError || (error as NodeJS.ErrnoException).syscall !== undefined ? error : badBackup((error as Error).message, error);
  }
  if (!manifest) throw badBackup('it has no manifest, so it is truncated');
  provePartsAgainst(manifest, seen);
  return { manifest, isEncrypted: source.isEncrypted };
}

async function sourceOf(path: string, keys: BackupKeys): Promise<{ bytes: AsyncIterable<Uint8Array>; isEncrypted: boolean }> {
  let start = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { end: 63 })) start = Buffer.concat([start, chunk as Buffer]);
  const bytes: AsyncIterable<Uint8Array> = createReadStream(path, { highWaterMark: 2 ** 20 });
  return isEncrypted(start) ? { bytes: decrypted(bytes, keys), isEncrypted: true } : { bytes, isEncrypted: false };
}

async function readPart(name: string, entry: AsyncIterable<Uint8Array>, take: (name: string, bytes: AsyncIterable<Uint8Array>) => Promise<void>): Promise<BackupPart> {
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = (async function* () {
    for await (const chunk of entry) {
      hash.update(chunk);
      bytes += chunk.byteLength;
      yield chunk;
    }
  })();
  await take(name, counted);
  // Parts that were not taken are verified as well.
  for await (const _ of counted);
  return { name, bytes, sha256: hash.digest('hex') };
}

async function readManifest(entry: Entry): Promise<BackupManifest> {
  if ((entry.header.size ?? 0) > MAX_MANIFEST_BYTES) throw badBackup('its manifest is too large');
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry as AsyncIterable<Uint8Array>) chunks.push(chunk);
  const manifest = parseManifest(Buffer.concat(chunks).toString());
  if (!manifest) throw badBackup('its manifest is not one of this version of Parlance');
  return manifest;
}

function provePartsAgainst({ parts }: BackupManifest, seen: ReadonlyMap<string, BackupPart>): void {
  const names = new Set(parts.map(({ name }) => name));
  const unnamed = [...seen.keys()].find((name) => !names.has(name));
  if (unnamed !== undefined) throw badBackup(`${unnamed} is not in its manifest`);
  for (const { name, bytes, sha256 } of parts) {
    const found = seen.get(name);
    if (!found) throw badBackup(`${name} is missing`);
    if (found.bytes !== bytes || found.sha256 !== sha256) throw badBackup(`${name} differs from what was written`);
  }
}
