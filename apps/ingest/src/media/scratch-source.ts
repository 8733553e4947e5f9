import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { MediaStore } from '@parlance/storage';

interface ScratchSource {
  sizeBytes: number;
  /** Lower-case hexadecimal. */
  sha256: string;
}

interface CopyOptions {
  signal: AbortSignal;
  /** Called after so many bytes more are on the disk. */
  onWritten: (bytes: number) => void;
}

/** Brings an object of the media store into a local file, which is all that ffmpeg gets to see. */
export async function copyToScratch(store: MediaStore, key: string, file: string, { signal, onWritten }: CopyOptions): Promise<ScratchSource> {
  const hash = createHash('sha256');
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
  return { sizeBytes, sha256: hash.digest('hex') };
}
