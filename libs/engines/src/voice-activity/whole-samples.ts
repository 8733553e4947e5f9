/** About two seconds, so that handing a block to a thread costs nothing, and a whole number of Silero's 512-sample windows. */
const BLOCK_BYTES = 62 * 512 * 2;

/** Samples that a thread can read where they are. */
export type SharedSamples = Int16Array<SharedArrayBuffer>;

/**
 * The stream as blocks of 31,744 16-bit samples, the last one shorter; a byte left over at the end is dropped. All lie in the
 * same memory, in turn: blocks of their own would be garbage by the gigabyte in a long recording.
 */
export async function* wholeSamples(pcm: AsyncIterable<Uint8Array>): AsyncGenerator<SharedSamples> {
  const memory = new SharedArrayBuffer(BLOCK_BYTES);
  const block = new Uint8Array(memory);
  let filled = 0;
  for await (const bytes of pcm) {
    for (let at = 0; at < bytes.byteLength; ) {
      const part = bytes.subarray(at, at + BLOCK_BYTES - filled);
      block.set(part, filled);
      filled += part.byteLength;
      at += part.byteLength;
      if (filled < BLOCK_BYTES) continue;
      yield new Int16Array(memory);
      filled = 0;
    }
  }
  if (filled >= 2) yield new Int16Array(memory, 0, Math.floor(filled / 2));
}
