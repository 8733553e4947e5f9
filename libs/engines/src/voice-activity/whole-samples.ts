/** About two seconds, so that handing a block to a thread costs nothing, and a whole number of Silero's 512-sample windows. */
const BLOCK_BYTES = 62 * 512 * 2;

/** The stream as blocks of 31,744 16-bit samples, the last one shorter; a byte left over at the end is dropped. */
export async function* wholeSamples(pcm: AsyncIterable<Uint8Array>): AsyncGenerator<Int16Array<ArrayBuffer>> {
  let block = new Uint8Array(BLOCK_BYTES);
  let filled = 0;
  for await (const bytes of pcm) {
    for (let at = 0; at < bytes.byteLength; ) {
      const part = bytes.subarray(at, at + BLOCK_BYTES - filled);
      block.set(part, filled);
      filled += part.byteLength;
      at += part.byteLength;
      if (filled < BLOCK_BYTES) continue;
      yield new Int16Array(block.buffer);
      // The reader may have transferred the buffer to a thread.
      block = new Uint8Array(BLOCK_BYTES);
      filled = 0;
    }
  }
  if (filled >= 2) yield new Int16Array(block.buffer.slice(0, filled - (filled % 2)));
}
