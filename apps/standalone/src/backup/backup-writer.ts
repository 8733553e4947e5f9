import { createHash } from 'node:crypto';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '@parlance/platform';
import { pack, type Pack } from 'tar-stream';
import { MANIFEST, type BackupManifest, type BackupPart } from './backup-format.js';
import { encrypted, type BackupKeys } from './backup-keys.js';

/** Streams parts into a tar file, encrypted where there are keys. The file has its name once it is whole and on the disk. */
export class BackupWriter {
  readonly parts: BackupPart[] = [];
  private readonly archive: Pack = pack();
  private readonly written: Promise<void>;
  private readonly partial: string;
  private failure: Error | undefined;

  /** @param target must not exist; its folder must */
  constructor(
    private readonly target: string,
    keys: BackupKeys | undefined,
  ) {
    this.partial = `${target}.partial`;
    this.written = this.write(keys);
    // A failure ends the entry that is being written, and is thrown there and by `finish`.
    this.archive.on('error', () => {});
    this.written.catch((error: unknown) => {
      this.failure ??= error as Error;
      this.archive.destroy(this.failure);
    });
  }

  /** @returns whether the file was there; it must not change while it is read. */
  async addFile(name: string, path: string): Promise<boolean> {
    const file = await open(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    if (!file) return false;
    try {
      await this.add(name, (await file.stat()).size, file.createReadStream({ autoClose: false, highWaterMark: 2 ** 20 }));
    } finally {
      await file.close();
    }
    return true;
  }

  /** Closes the archive with its manifest and puts it in its place. */
  async finish(manifest: BackupManifest): Promise<void> {
    const text = Buffer.from(`${JSON.stringify(manifest)}\n`);
    await this.entry(MANIFEST, text.byteLength, [text]);
    this.archive.finalize();
    await this.written;
    await rename(this.partial, this.target);
    await syncFolder(dirname(this.target));
  }

  /** Leaves nothing behind. */
  async abandon(): Promise<void> {
    this.archive.destroy();
    await this.written.catch(() => {});
    await rm(this.partial, { force: true });
  }

  private async add(name: string, bytes: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    const hash = createHash('sha256');
    const hashed = async function* () {
      for await (const chunk of content) {
        hash.update(chunk);
        yield chunk;
      }
    };
    await this.entry(name, bytes, hashed());
    this.parts.push({ name, bytes, sha256: hash.digest('hex') });
  }

  private async entry(name: string, size: number, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    if (this.failure) throw this.failure;
    const ended = Promise.withResolvers<void>();
    const entry = this.archive.entry({ name, size, mode: 0o600 }, (error) => (error ? ended.reject(this.failure ?? error) : ended.resolve()));
    // `ended` settles once for both: the entry's stream emits the same error.
    entry.on('error', (error) => ended.reject(this.failure ?? error));
    ended.promise.catch(() => {});
    for await (const chunk of content) {
      if (!entry.write(chunk)) await Promise.race([new Promise((resolve) => entry.once('drain', resolve)), ended.promise]);
    }
    entry.end();
    await ended.promise;
  }

  private async write(keys: BackupKeys | undefined): Promise<void> {
    // A backup that was killed leaves its part; two at a time are refused before.
    const file = await open(this.partial, 'w', 0o600);
    try {
      const bytes = this.archive as unknown as AsyncIterable<Uint8Array>;
      for await (const chunk of keys ? await encrypted(bytes, keys) : bytes) await this.writeWhole(file, chunk);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Keeps the failure before the archive is destroyed by it, and so the entry with an error of its own. */
  private async writeWhole(file: FileHandle, chunk: Uint8Array): Promise<void> {
    try {
      await file.writeFile(chunk);
    } catch (error) {
      this.failure = error as Error;
      throw error;
    }
  }
}
