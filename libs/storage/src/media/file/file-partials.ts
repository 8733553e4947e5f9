import { randomUUID } from 'node:crypto';
import { mkdir, open, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { foldersUpTo, interruptible, syncFolder } from '@parlance/platform';
import { assertMediaKey } from '../media-key.js';
import { tooLarge } from '../measured-body.js';
import type { StoredObject } from '../media-store.js';
import { PIECE_BYTES, type AppendOptions, type PartialObject } from '../partial-object.js';
import { DiskReserve } from './disk-reserve.js';
import type { DurableFolders } from './durable-folders.js';
import { removeEmptyFolders } from './empty-folders.js';
import { isMissing, unlessMissing } from './file-errors.js';
import { asStorageError, exists, moveInto, removedMeanwhile, whileFoldersGo } from './file-uploads.js';

/** Objects that arrive in pieces: each a file that grows, in the folder of its key, until it is whole and takes its place. */
export class FilePartials {
  private readonly reserve: DiskReserve;

  /** @param objects the folders in which they take their place */
  constructor(
    private readonly folder: string,
    private readonly objects: DurableFolders,
  ) {
    this.reserve = new DiskReserve(folder);
  }

  async open(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  async begin(key: string, expectedBytes: number): Promise<PartialObject> {
    const session = randomUUID();
    const path = this.pathOf({ key, session });
    try {
      await this.reserve.look(expectedBytes);
      const file = await whileFoldersGo(
        async () => {
          await mkdir(dirname(path), { recursive: true, mode: 0o700 });
          return open(path, 'wx', 0o600);
        },
        async () => true,
      );
      await file.close();
      await Promise.all(foldersUpTo(this.folder, dirname(path)).map(syncFolder));
    } catch (error) {
      throw asStorageError(error);
    }
    return { key, session, sizeBytes: 0, nextPart: 1, parts: [] };
  }

  /** Bytes behind those that are durable may be of an append that was interrupted: they are written over. */
  async append(partial: PartialObject, body: AsyncIterable<Uint8Array>, { maxBytes, signal, onStored }: AppendOptions): Promise<PartialObject> {
    const file = await open(this.pathOf(partial), 'r+').catch((error: unknown) => Promise.reject(isMissing(error) ? removedMeanwhile(error) : error));
    const writer = new PieceWriter(file, partial, maxBytes, this.reserve, onStored);
    try {
      for await (const bytes of interruptible(body, signal)) await writer.write(bytes);
      return await writer.store();
    } catch (error) {
      // Bytes that are not recorded do not stay on the disk, where no quota would count them.
      await (onStored && !writer.hasFailed ? writer.store() : file.truncate(writer.durableBytes));
      throw asStorageError(error);
    } finally {
      await file.close();
    }
  }

  async finish(partial: PartialObject, target: string): Promise<StoredObject> {
    const path = this.pathOf(partial);
    const { key, sizeBytes } = partial;
    try {
      const file = await open(path, 'r+');
      try {
        await file.truncate(sizeBytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await whileFoldersGo(() => moveInto(path, target, this.objects), () => exists(path));
    } catch (error) {
      if (!isMissing(error)) throw asStorageError(error);
      if ((await unlessMissing(stat(target)))?.size !== sizeBytes) throw removedMeanwhile(error);
    }
    await removeEmptyFolders(this.folder, dirname(path));
    return { key, sizeBytes };
  }

  async abandon(prefix: string): Promise<void> {
    const folder = join(this.folder, dirname(`${prefix}.`));
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    await removeEmptyFolders(this.folder, folder);
  }

  private pathOf({ key, session }: Pick<PartialObject, 'key' | 'session'>): string {
    assertMediaKey(`${key}/${session}`);
    return join(this.folder, dirname(key), session);
  }
}

/** Writes behind the durable bytes of a file, and makes them durable a piece at a time. */
class PieceWriter {
  private position: number;
  private failed = false;

  constructor(
    private readonly file: FileHandle,
    private durable: PartialObject,
    private readonly maxBytes: number,
    private readonly reserve: DiskReserve,
    private readonly onStored: AppendOptions['onStored'],
  ) {
    this.position = durable.sizeBytes;
  }

  /** True when it was the file or the caller's record that failed, and not the body. */
  get hasFailed(): boolean {
    return this.failed;
  }

  get durableBytes(): number {
    return this.durable.sizeBytes;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.position + bytes.byteLength > this.maxBytes) throw tooLarge(this.maxBytes);
    await this.orFail(async () => {
      await this.reserve.admit(bytes.byteLength);
      await writeAll(this.file, bytes, this.position);
    });
    this.position += bytes.byteLength;
    if (this.onStored && this.position - this.durable.sizeBytes >= PIECE_BYTES) await this.store();
  }

  async store(): Promise<PartialObject> {
    if (this.position === this.durable.sizeBytes) return this.durable;
    await this.orFail(async () => {
      await this.file.sync();
      const next = { ...this.durable, sizeBytes: this.position };
      await this.onStored?.(next);
      this.durable = next;
    });
    return this.durable;
  }

  private async orFail(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.byteLength - written, position + written);
    written += bytesWritten;
  }
}
