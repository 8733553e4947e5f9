import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, interruptible, notFound, toAppError } from '@parlance/platform';
import type { PutOptions, PutResult } from '../media-store.js';
import { DiskReserve } from './disk-reserve.js';
import type { DurableFolders } from './durable-folders.js';
import { removeEmptyFolders } from './empty-folders.js';
import { isMissing, unlessMissing } from './file-errors.js';
import { isStaleUpload, THIS_PROCESS, uploadName } from './upload-owner.js';

/** Bodies on their way in: each in a file of its own in the folder of its key, until it is whole and takes its place. */
export class FileUploads {
  private readonly reserve: DiskReserve;

  /** @param objects the folders in which they take their place */
  constructor(
    private readonly folder: string,
    private readonly objects: DurableFolders,
  ) {
    this.reserve = new DiskReserve(folder);
  }

  /** Removes uploads of processes that have ended; uploads of running processes continue. */
  async open(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await this.clear(this.folder);
  }

  async receive(
    key: string,
    target: string,
    body: AsyncIterable<Uint8Array>,
    { maxBytes = Infinity, expectedBytes = 0, signal }: PutOptions,
  ): Promise<PutResult> {
    signal?.throwIfAborted();
    const path = join(this.folder, dirname(key), uploadName(THIS_PROCESS));
    try {
      await this.reserve.look(Math.min(expectedBytes, maxBytes));
      const file = await create(path);
      const result = await writeWhole(file, interruptible(body, signal), maxBytes, this.reserve);
      signal?.throwIfAborted();
      await this.place(path, target);
      return result;
    } catch (error) {
      await rm(path, { force: true });
      throw asStorageError(error);
    } finally {
      await removeEmptyFolders(this.folder, dirname(path));
    }
  }

  /** @throws AppError not_found when the source is removed meanwhile, storage_full */
  async copy(source: string, key: string, target: string, sizeBytes: number): Promise<void> {
    const path = join(this.folder, dirname(key), uploadName(THIS_PROCESS));
    try {
      await whileFoldersGo(
        async () => {
          await mkdir(dirname(path), { recursive: true, mode: 0o700 });
          await this.linkOrCopy(source, path, sizeBytes);
        },
        () => exists(source),
      );
      await this.place(path, target);
    } catch (error) {
      throw isMissing(error) ? notFound('The object') : asStorageError(error);
    } finally {
      // A rename onto another link of the same file leaves both names.
      await rm(path, { force: true });
      await removeEmptyFolders(this.folder, dirname(path));
    }
  }

  private async linkOrCopy(source: string, path: string, sizeBytes: number): Promise<void> {
    try {
      await link(source, path);
    } catch (error) {
      if (!LINKS_UNSUPPORTED.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      await this.reserve.look(sizeBytes);
      await copyFile(source, path, constants.COPYFILE_FICLONE);
      await syncFile(path);
    }
  }

  /** Removes unfinished uploads below the prefix; they fail when they come to their end. */
  async abandon(prefix: string): Promise<void> {
    const folder = join(this.folder, dirname(`${prefix}.`));
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    await removeEmptyFolders(this.folder, folder);
  }

  /** Files in the folder may disappear at any time. */
  private async clear(folder: string): Promise<void> {
    const entries = (await unlessMissing(readdir(folder, { withFileTypes: true }))) ?? [];
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) await this.clear(path);
      else await removeIfStale(path, entry.name);
    }
    await removeEmptyFolders(this.folder, folder);
  }

  private async place(path: string, target: string): Promise<void> {
    try {
      await whileFoldersGo(() => moveInto(path, target, this.objects), () => exists(path));
    } catch (error) {
      throw isMissing(error) ? removedMeanwhile(error) : error;
    }
  }
}

/** The file system has no hard links, allows none here, or the file has as many as it can have. */
const LINKS_UNSUPPORTED = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV']);

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function removeIfStale(path: string, name: string): Promise<void> {
  const found = await unlessMissing(stat(path));
  if (found && isStaleUpload(name, Date.now() - found.mtimeMs, THIS_PROCESS)) await rm(path, { force: true });
}

/** How often may a new, empty folder be removed in a row before it is used? More is an error. */
const MAX_TRIES = 100;

/** Does the work again when its folder was removed before it could use it. */
export async function whileFoldersGo<T>(work: () => Promise<T>, isWorthIt: () => Promise<boolean>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isMissing(error) || attempt === MAX_TRIES || !(await isWorthIt())) throw error;
    }
  }
}

export const exists = (path: string): Promise<boolean> => stat(path).then(() => true, () => false);

const create = (path: string): Promise<FileHandle> =>
  whileFoldersGo(
    async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      return open(path, 'wx', 0o600);
    },
    async () => true,
  );

/** Writes the file and brings it to the disk. */
async function writeWhole(file: FileHandle, chunks: AsyncIterable<Uint8Array>, maxBytes: number, reserve: DiskReserve): Promise<PutResult> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  try {
    for await (const chunk of chunks) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
      hash.update(chunk);
      await reserve.admit(chunk.byteLength);
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

/** Moves the file to its target. Settles when the target, with the folders above it, would survive a power cut. */
export async function moveInto(path: string, target: string, folders: DurableFolders): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await rename(path, target);
  await folders.sync(dirname(target));
}

/** Names a full disk; any other error of the body is returned unchanged. */
export function asStorageError(error: unknown): unknown {
  const known = toAppError(error);
  return known.code === 'internal' ? error : known;
}

export const tooLarge = (maxBytes: number) =>
  new AppError({ kind: 'too_large', code: 'too_large', message: `The object is larger than ${maxBytes} bytes.` });

export const removedMeanwhile = (cause?: unknown) =>
  new AppError({ kind: 'canceled', code: 'upload_removed', message: 'The upload was removed before it was complete.', cause });
