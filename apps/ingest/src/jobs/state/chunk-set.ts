/** Indexes of chunks as a base64 bit set: 2,880 chunks (twelve hours at 15 s) take 480 characters. */
export type ChunkSet = string;

export const EMPTY_CHUNKS: ChunkSet = '';

export function hasChunk(set: ChunkSet, index: number): boolean {
  return ((Buffer.from(set, 'base64')[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
}

/** The set with the index in it; the same set when it was there. */
export function addChunk(set: ChunkSet, index: number): ChunkSet {
  const bytes = Buffer.from(set, 'base64');
  const byte = index >> 3;
  const grown = Buffer.alloc(Math.max(bytes.length, byte + 1));
  bytes.copy(grown);
  grown[byte] = (grown[byte] ?? 0) | (1 << (index & 7));
  return grown.toString('base64');
}

/** All indexes from 0 to before `total`. */
export function allChunks(total: number): ChunkSet {
  const bytes = Buffer.alloc(Math.ceil(total / 8), 0xff);
  const rest = total & 7;
  if (rest !== 0) bytes[bytes.length - 1] = (1 << rest) - 1;
  return bytes.toString('base64');
}
