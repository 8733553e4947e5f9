import { open, type FileHandle } from 'node:fs/promises';
import { mp3Seconds } from './mp3-length.js';
import { wavSeconds } from './wav-length.js';

/**
 * Seconds that the header of a WAV or MP3 file states, where ffprobe does not tell: of a WAV that is cut off it measures the
 * rest, and of an MP3 it does not say whether it read the length or estimated it.
 * @returns undefined when the header states none, or one that cannot be relied on.
 */
export async function secondsInHeader(file: string, { format, codec }: { format: string; codec: string }): Promise<number | undefined> {
  const read = { wav: codec.startsWith('pcm_') ? wavSeconds : undefined, mp3: mp3Seconds }[format];
  if (!read) return undefined;
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, 'r');
    const opened = handle;
    const { size } = await opened.stat();
    return await read(async (position, length) => {
      const { buffer, bytesRead } = await opened.read({ buffer: Buffer.alloc(length), position });
      return buffer.subarray(0, bytesRead);
    }, size);
  } finally {
    await handle?.close();
  }
}
