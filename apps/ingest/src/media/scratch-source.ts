import type { Hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { MediaStore } from '@parlance/storage';
import { mediaError } from './media-error.js';
import { recognizeAge } from './sealed/age-file.js';

/** Opens a recording that its client encrypted, as it is read. */
export type OpenSealed = (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

interface CopyOptions {
  signal: AbortSignal;
  /** Takes in all bytes, as they are stored. */
  hash: Hash;
  /** Called after so many bytes more are on the disk. */
  onWritten: (bytes: number) => void;
  /** Absent where an encrypted recording must not be opened. */
  openSealed?: OpenSealed | undefined;
}

/**
 * Brings an object of the media store into a local file, in clear, which is all that ffmpeg gets to see.
 * @returns whether its client had encrypted it. @throws AppError media_sealed when it did and `openSealed` is absent; media_unsupported for an armored age file; media_sealed_* of `openSealed`
 */
export async function copyToScratch(store: MediaStore, key: string, file: string, { signal, hash, onWritten, openSealed }: CopyOptions): Promise<{ isSealed: boolean }> {
  const { ageFormat, bytes, close } = await recognizeAge(hashed(await store.get(key), hash));
  try {
    if (ageFormat === 'armored') throw mediaError('media_unsupported', 'The file is an ASCII-armored age file, which is not supported. Encrypt it in the binary format, without --armor.');
    const isSealed = ageFormat === 'binary';
    if (isSealed && !openSealed) throw mediaError('media_sealed', 'The recording was encrypted by its client.');
    await using handle = await open(file, 'wx', 0o600);
    for await (const piece of isSealed && openSealed ? openSealed(bytes) : bytes) {
      signal.throwIfAborted();
      await handle.appendFile(piece);
      onWritten(piece.length);
    }
    return { isSealed };
  } finally {
    await close();
  }
}

async function* hashed(bytes: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    hash.update(piece);
    yield piece;
  }
}
