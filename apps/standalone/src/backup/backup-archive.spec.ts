import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pack } from 'tar-stream';
import { newManifest } from './backup-format.js';
import { parseBackupKeys, type BackupKeys } from './backup-keys.js';
import { readBackup } from './backup-reader.js';
import { BackupWriter } from './backup-writer.js';
import { restoreBackup } from './restore-backup.js';

/** Larger than a segment of age, 64 KiB. */
const SOURCE = Buffer.alloc(150_000, 'sound');

describe('the file of a backup', () => {
  let folder: string;
  let identity: string;
  let keys: BackupKeys;
  const at = (name: string) => join(folder, name);

  beforeAll(async () => {
    identity = await generateX25519Identity();
    keys = await parseBackupKeys(identity);
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-archive-'));
    await writeFile(at('source'), SOURCE);
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function write(target: string, withKeys: BackupKeys | undefined): Promise<Buffer> {
    const writer = new BackupWriter(target, withKeys);
    expect(await writer.addFile('media/objects/acc_1/job_1/source', at('source'))).toBe(true);
    expect(await writer.addFile('api-key', at('not-there'))).toBe(false);
    const { parts } = writer;
    await writer.finish(newManifest({ product_version: '1', moment: '2026-01-01T00:00:00.000Z', writers_held_ms: 1, schema_versions: {}, models: [], parts }));
    return readFile(target);
  }

  it.each([['encrypted', true], ['plain', false]])('gives back every byte (%s)', async (_name, isEncrypted) => {
    const bytes = await write(at('backup'), isEncrypted ? keys : undefined);
    const found: Buffer[] = [];
    const { manifest } = await readBackup(at('backup'), keys, async (_part, content) => {
      for await (const chunk of content) found.push(Buffer.from(chunk));
    });
    expect(Buffer.concat(found).equals(SOURCE)).toBe(true);
    expect(manifest.parts).toEqual([{ name: 'media/objects/acc_1/job_1/source', bytes: SOURCE.byteLength, sha256: expect.any(String) }]);
    expect(bytes.includes('sound')).toBe(!isEncrypted);
    expect((await readdir(folder)).toSorted()).toEqual(['backup', 'source']);
    expect((await stat(at('backup'))).mode & 0o777).toBe(0o600);
  });

  it('replaces the part that a killed backup left', async () => {
    await writeFile(at('backup.partial'), Buffer.alloc(1_000_000, 'left'));
    await write(at('backup'), undefined);
    expect((await readBackup(at('backup'), undefined)).manifest.parts).toHaveLength(1);
    expect((await readdir(folder)).toSorted()).toEqual(['backup', 'source']);
  });

  (process.platform === 'linux' ? it : it.skip).each(['a full disk', 'a folder that is not there'])('names the fault of %s, and leaves nothing', async (fault) => {
    const target = fault === 'a full disk' ? at('backup') : at('not-there/backup');
    if (fault === 'a full disk') await symlink('/dev/full', at('backup.partial'));
    const writer = new BackupWriter(target, undefined);
    const adding = async () => {
      for (let index = 0; index < 3; index += 1) await writer.addFile(`media/${index}`, at('source'));
    };
    await expect(adding()).rejects.toMatchObject({ code: fault === 'a full disk' ? 'ENOSPC' : 'ENOENT' });
    await writer.abandon();
    expect(await readdir(folder)).toEqual(['source']);
  });

  it.each([['encrypted', true], ['plain', false]])('is refused wherever its content was changed or it was cut (%s)', async (_name, isEncrypted) => {
    const whole = await write(at('backup'), isEncrypted ? keys : undefined);
    // In a plain one, the zeros after the last entry and the padding of entries say nothing.
    const length = isEncrypted ? whole.byteLength : SOURCE.byteLength;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: length - 1 }), fc.boolean(), async (place, isCut) => {
        const changed = isCut ? whole.subarray(0, place) : Buffer.from(whole);
        if (!isCut) changed[place] = (changed[place] ?? 0) ^ 1;
        await writeFile(at('changed'), changed);
        await expect(readBackup(at('changed'), keys)).rejects.toMatchObject({ code: 'backup_damaged' });
      }),
      { numRuns: 40 },
    );
  });

  it('can be made with the public half of a key, and is read with the private half of that key alone', async () => {
    await write(at('backup'), await parseBackupKeys(await identityToRecipient(identity)));
    await readBackup(at('backup'), keys);
    const other = await parseBackupKeys(await generateX25519Identity());
    for (const wrong of [other, undefined]) await expect(readBackup(at('backup'), wrong)).rejects.toMatchObject({ code: 'backup_damaged' });
    await expect(parseBackupKeys('a password')).rejects.toThrow('BACKUP_KEY');
  });

  it('puts nothing outside of the folder, and nothing into one that is in use', async () => {
    const archive = pack();
    archive.entry({ name: 'media/objects/../../escaped' }, 'x');
    archive.finalize();
    await writeFile(at('hostile'), await buffer(archive));
    const restore = (path: string, target: string) => restoreBackup({ path: at(path), keys: undefined, folder: at(target), erased: [], replay: async () => 0 });
    await expect(restore('hostile', 'new')).rejects.toMatchObject({ code: 'backup_damaged' });
    expect(await readdir(at('new'))).toEqual([]);
    await write(at('backup'), undefined);
    await expect(restore('backup', '.')).rejects.toMatchObject({ code: 'folder_not_empty' });
    await restore('backup', 'new');
    expect((await readFile(at('new/media/objects/acc_1/job_1/source'))).equals(SOURCE)).toBe(true);
  });

  it('leaves nothing behind when it is given up', async () => {
    const writer = new BackupWriter(at('backup'), keys);
    await writer.addFile('media/objects/acc_1/job_1/source', at('source'));
    await writer.abandon();
    expect(await readdir(folder)).toEqual(['source']);
  });
});
