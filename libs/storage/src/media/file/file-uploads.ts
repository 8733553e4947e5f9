import { constants } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, interruptible, notFound, toAppError } from '@parlance/platform';
import { MeasuredBody } from '../measured-body.js';
import type { PutOptions, PutResult } from '../media-store.js';
import { DiskReserve } from './disk-reserve.js';
import type { DurableFolders } from './durable-folders.js';
import { removeEmptyFolders } from './empty-folders.js';
import { isMissing, unlessMissing } from './file-errors.js';
import { isStaleUpload, isUploadBelow, THIS_PROCESS, uploadName } from './upload-owner.js';

/** Bodies on their way in: each in a file of its own in one folder, until it is whole and takes its place. */
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
    { maxBytes = Infinity, expectedBytes = 0, withoutDigest, signal }: PutOptions,
  ): Promise<PutResult> {
    signal?.throwIfAborted();
    const path = this.pathOf(key);
    try {
      await this.reserve.look(Math.min(expectedBytes, maxBytes));
      const file = await open(path, 'wx', 0o600);
      const measured = new MeasuredBody(interruptible(body, signal), maxBytes, withoutDigest);
      await writeWhole(file, measured.chunks(), this.reserve);
      signal?.throwIfAborted();
      await this.place(path, target);
      return measured.result();
    } catch (error) {
      await rm(path, { force: true });
      throw asStorageError(error);
    }
  }

  /** @throws AppError not_found when the source is removed meanwhile, storage_full */
  async copy(source: string, key: string, target: string, sizeBytes: number): Promise<void> {
    const path = this.pathOf(key);
    try {
      await this.linkOrCopy(source, path, sizeBytes);
      await this.place(path, target);
    } catch (error) {
      throw isMissing(error) ? notFound('The object') : asStorageError(error);
    } finally {
      // A rename onto another link of the same file leaves both names.
      await rm(path, { force: true });
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
    const names = await readdir(this.folder);
    await Promise.all(names.filter((name) => isUploadBelow(name, prefix)).map((name) => rm(join(this.folder, name), { force: true })));
  }

  private pathOf(key: string): string {
    return join(this.folder, uploadName(THIS_PROCESS, dirname(key)));
  }

  /** Files in the folder may disappear at any time. Earlier versions had folders in it. */
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

/** Writes the file and brings it to the disk. The next bytes are received, and digested or sealed, while those before are written. */
async function writeWhole(file: FileHandle, chunks: AsyncIterable<Uint8Array>, reserve: DiskReserve): Promise<void> {
  let writing = Promise.resolve();
  try {
    for await (const chunk of chunks) {
      await writing;
      await reserve.admit(chunk.byteLength);
      writing = file.writeFile(chunk);
      writing.catch(() => {});
    }
    await writing;
    await file.sync();
  } finally {
    await writing.catch(() => {});
    await file.close();
  }
}

/** Moves the file to its target. Settles when the target, with the folders above it, would survive a power cut. */
export async function moveInto(path: string, target: string, folders: DurableFolders): Promise<void> {
  await rename(path, target).catch(async (error: unknown) => {
    if (!isMissing(error)) throw error;
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await rename(path, target);
  });
  await folders.sync(dirname(target));
}

/** Names a full disk; any other error of the body is returned unchanged. */
export function asStorageError(error: unknown): unknown {
  const known = toAppError(error);
  return known.code === 'internal' ? error : known;
}

export const removedMeanwhile = (cause?: unknown) =>
  new AppError({ kind: 'canceled', code: 'upload_removed', message: 'The upload was removed before it was complete.', cause });
