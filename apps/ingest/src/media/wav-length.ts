import type { ReadAt } from './read-at.js';

/** From here on it is what writers put that do not know the size yet: 0x7FFFF000 (SoX), 0x80000000 (arecord), 0xFFFFFFFF (ffmpeg). */
const PLACEHOLDER = 0x7fff_0000;
/** Chunks before the sound: some dozens in broadcast files. */
const MAX_CHUNKS = 200;

/**
 * Seconds of PCM that the header states, when the file ends before them (RIFF, and RF64 of EBU Tech 3306).
 * @returns undefined when nothing is missing, or the sizes are placeholders or contradict each other.
 */
export async function wavSeconds(readAt: ReadAt, fileSize: number): Promise<number | undefined> {
  const head = await readAt(0, 36);
  if (head.length < 36) return undefined;
  const sizes = statedSizes(head);
  let bytesPerSecond: number | undefined;
  let position = 12;
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
    const header = await readAt(position, 24);
    if (header.length < 24) return undefined;
    const id = header.toString('latin1', 0, 4);
    const size = header.readUInt32LE(4);
    if (id === 'data') {
      const data = sizes.data ?? (size < PLACEHOLDER ? size : 0);
      const end = position + 8 + data;
      return bytesPerSecond && fileSize < end && end <= sizes.whole + SLACK ? data / bytesPerSecond : undefined;
    }
    // Sample rate × size of a sample of all channels: the stated bytes a second are wrong in some files.
    if (id === 'fmt ') bytesPerSecond = header.readUInt32LE(12) * (await readAt(position + 20, 2)).readUInt16LE();
    position += 8 + size + (size % 2);
  }
  return undefined;
}

/** Writers are not of one mind about headers and padding in the size of the whole. */
const SLACK = 64;

/** Bytes of the whole file, and in RF64 of the sound: its chunk `ds64` comes first and has what does not fit in 32 bits. */
function statedSizes(head: Buffer): { whole: number; data?: number } {
  const isRf64 = head.toString('latin1', 0, 4) === 'RF64' && head.toString('latin1', 12, 16) === 'ds64';
  if (!isRf64) return { whole: head.readUInt32LE(4) + 8 };
  return { whole: Number(head.readBigUInt64LE(20)) + 8, data: Number(head.readBigUInt64LE(28)) };
}
