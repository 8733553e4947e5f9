import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError, toAppError } from '@parlance/platform';
import type { PutResult } from '../media-store.js';
import { isMissing } from './file-errors.js';
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
    const hash = createHash('sha256');
    let sizeBytes = 0;
    async function* measured(chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        sizeBytes += chunk.byteLength;
        if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
        hash.update(chunk);
        yield chunk;
      }
    }
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await pipeline(body, measured, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }), signal ? { signal } : {});
      signal?.throwIfAborted();
      await this.place(path, target);
    } catch (error) {
      await rm(path, { force: true });
      if (signal?.aborted) throw signal.reason;
      throw asStorageError(error);
    }
    return { sizeBytes, sha256: hash.digest('hex') };
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
