import type { Hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { MediaStore } from '@parlance/storage';

interface CopyOptions {
  signal: AbortSignal;
  /** Takes in all bytes. */
  hash: Hash;
  /** Called after so many bytes more are on the disk. */
  onWritten: (bytes: number) => void;
}

/** Brings an object of the media store into a local file, which is all that ffmpeg gets to see. @returns its bytes */
export async function copyToScratch(store: MediaStore, key: string, file: string, { signal, hash, onWritten }: CopyOptions): Promise<number> {
  let sizeBytes = 0;
  const handle = await open(file, 'wx', 0o600);
  try {
    for await (const piece of await store.get(key)) {
      signal.throwIfAborted();
      hash.update(piece);
      sizeBytes += piece.length;
      await handle.appendFile(piece);
      onWritten(piece.length);
    }
  } finally {
    await handle.close();
  }
  return sizeBytes;
}
