import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, toAppError } from '@parlance/platform';
import type { PutResult } from '../media-store.js';
import { isMissing } from './file-errors.js';
import { interruptible } from '../interruptible.js';
import { isStaleUpload, THIS_PROCESS, uploadName } from './upload-owner.js';

/** Bodies on their way in: each in a file of its own in the folder of its key, until it is whole and takes its place. */
export class FileUploads {
  constructor(private readonly folder: string) {}

  /** Removes what processes have left that are gone. */
  async open(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    for (const entry of await readdir(this.folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const { mtimeMs } = await stat(path);
      if (isStaleUpload(entry.name, Date.now() - mtimeMs, THIS_PROCESS)) await rm(path, { force: true });
    }
  }

  async receive(
    key: string,
    target: string,
    body: AsyncIterable<Uint8Array>,
    { maxBytes = Infinity, signal }: { maxBytes?: number; signal?: AbortSignal },
  ): Promise<PutResult> {
    signal?.throwIfAborted();
    const path = join(this.folder, dirname(key), uploadName(THIS_PROCESS));
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const result = await writeWhole(path, interruptible(body, signal), maxBytes);
      signal?.throwIfAborted();
      await this.place(path, target);
      return result;
    } catch (error) {
      await rm(path, { force: true });
      throw asStorageError(error);
    }
  }

  /** Removes unfinished uploads below the prefix; they fail when they come to their end. */
  async abandon(prefix: string): Promise<void> {
    await rm(join(this.folder, prefix), { recursive: true, force: true, maxRetries: 3 });
  }

  private async place(path: string, target: string): Promise<void> {
    try {
      await moveInto(path, target);
    } catch (error) {
      if (!isMissing(error)) throw error;
      // The folder of the target was removed in between, or the upload itself.
      await moveInto(path, target).catch((again: unknown) => {
        throw isMissing(again) ? removedMeanwhile(again) : again;
      });
    }
  }
}

/** Writes the file and brings it to the disk. */
async function writeWhole(path: string, chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<PutResult> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw isMissing(error) ? removedMeanwhile(error) : error;
  });
  try {
    for await (const chunk of chunks) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

async function moveInto(path: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await rename(path, target);
  const folder = await open(dirname(target));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** A full disk is named; what the body threw goes on as it came. */
function asStorageError(error: unknown): unknown {
  const known = toAppError(error);
  return known.code === 'internal' ? error : known;
}

const tooLarge = (maxBytes: number) =>
  new AppError({ kind: 'too_large', code: 'too_large', message: `The object is larger than ${maxBytes} bytes.` });

const removedMeanwhile = (cause: unknown) =>
  new AppError({ kind: 'canceled', code: 'upload_removed', message: 'The upload was removed while it was on its way.', cause });
