import { HEADER_BYTES, sealedStreamSize, SEGMENT_BYTES, TAG_BYTES } from './tink-segments.js';

/**
 * A sealed object is a row of blocks, each a ciphertext of its own, so that an object can grow by whole blocks and no block is ever
 * sealed twice under one salt. All but the last have this size, which divides the parts of S3.
 */
export const BLOCK_BYTES = 256 * 1024;
const SEGMENTS_A_BLOCK = BLOCK_BYTES / SEGMENT_BYTES;
/** The clear bytes of a full block. */
export const CLEAR_BLOCK_BYTES = BLOCK_BYTES - HEADER_BYTES - SEGMENTS_A_BLOCK * TAG_BYTES;

/** The clear bytes of a full segment, the header counted as the first of them. */
const CLEAR_SEGMENT_BYTES = SEGMENT_BYTES - TAG_BYTES;

/** The size of an object with so many clear bytes. */
export function sealedSize(clearBytes: number): number {
  const full = Math.max(0, Math.ceil(clearBytes / CLEAR_BLOCK_BYTES) - 1);
  return full * BLOCK_BYTES + sealedStreamSize(clearBytes - full * CLEAR_BLOCK_BYTES);
}

/** The clear bytes in an object of this size; 0 when no sealed object has it. */
export function clearSize(sealedBytes: number): number {
  const full = lastBlockOf(sealedBytes);
  const rest = sealedBytes - full * BLOCK_BYTES;
  return full * CLEAR_BLOCK_BYTES + Math.max(0, rest - HEADER_BYTES - Math.ceil(rest / SEGMENT_BYTES) * TAG_BYTES);
}

/** The number of the last block of an object. */
export const lastBlockOf = (sealedBytes: number): number => Math.max(0, Math.ceil(sealedBytes / BLOCK_BYTES) - 1);

/** The place of a clear byte: its block, the segment there, and its place in that segment. */
export function placeOf(clearByte: number): { block: number; segment: number; offset: number } {
  const block = Math.floor(clearByte / CLEAR_BLOCK_BYTES);
  const inBlock = clearByte - block * CLEAR_BLOCK_BYTES + HEADER_BYTES;
  const segment = Math.floor(inBlock / CLEAR_SEGMENT_BYTES);
  return { block, segment, offset: inBlock - segment * CLEAR_SEGMENT_BYTES - (segment === 0 ? HEADER_BYTES : 0) };
}

/** The end, in the sealed object, of the segment with the clear byte. */
export function endOfSegment(clearByte: number, sealedBytes: number): number {
  const { block, segment } = placeOf(clearByte);
  return Math.min(sealedBytes, block * BLOCK_BYTES + (segment + 1) * SEGMENT_BYTES);
}
