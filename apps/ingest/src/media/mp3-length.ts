import type { ReadAt } from './read-at.js';

/** Junk between tags and the first frame that is looked through. */
const SEARCHED = 4096;
const MAX_TAGS = 4;
/** Hz of MPEG 1; MPEG 2 has half, MPEG 2.5 a quarter of it (ISO/IEC 11172-3, 13818-3). */
const SAMPLE_RATES = [44_100, 48_000, 32_000];
const HAS_FRAMES = 1;
const HAS_BYTES = 2;

/**
 * Seconds by the Xing or Info header, which encoders put into the first frame, when the file ends before its bytes.
 * @returns undefined when it has none, when it does not tell frames and bytes, or when nothing is missing.
 */
export async function mp3Seconds(readAt: ReadAt, fileSize: number): Promise<number | undefined> {
  const start = await afterTags(readAt);
  const head = await readAt(start, SEARCHED);
  for (let at = 0; at + 64 < head.length; at++) {
    const frame = frameAt(head, at);
    if (!frame) continue;
    const { tag, samples, sampleRate } = frame;
    const flags = head.readUInt32BE(tag + 4);
    if ((flags & HAS_FRAMES) === 0 || (flags & HAS_BYTES) === 0) return undefined;
    const bytes = head.readUInt32BE(tag + 12);
    return fileSize < start + at + bytes ? (head.readUInt32BE(tag + 8) * samples) / sampleRate : undefined;
  }
  return undefined;
}

/** Returns the offset at which the ID3v2 tags at the beginning end. */
async function afterTags(readAt: ReadAt): Promise<number> {
  let position = 0;
  for (let tag = 0; tag < MAX_TAGS; tag++) {
    const head = await readAt(position, 10);
    if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') return position;
    // Seven bits a byte, so that no tag looks like a frame.
    position += 10 + head.subarray(6, 10).reduce((size, byte) => size * 128 + (byte & 127), 0);
  }
  return position;
}

/** The first frame of layer III with such a header: where that is, and what a frame holds. */
function frameAt(head: Buffer, at: number): { tag: number; samples: number; sampleRate: number } | undefined {
  const sync = head.readUInt16BE(at);
  const rate = SAMPLE_RATES[(head.readUInt8(at + 2) >> 2) & 3];
  const version = (sync >> 3) & 3;
  if (sync >> 5 !== 0x7ff || version === 1 || ((sync >> 1) & 3) !== 1 || rate === undefined) return undefined;
  const isMono = head.readUInt8(at + 3) >> 6 === 3;
  const isMpeg1 = version === 3;
  // After the side information, whose length follows from version and channels.
  const tag = at + 4 + (isMpeg1 ? (isMono ? 17 : 32) : isMono ? 9 : 17);
  if (!['Xing', 'Info'].includes(head.toString('latin1', tag, tag + 4))) return undefined;
  return { tag, samples: isMpeg1 ? 1152 : 576, sampleRate: rate / (isMpeg1 ? 1 : version === 2 ? 2 : 4) };
}
