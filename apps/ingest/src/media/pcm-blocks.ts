/** Four seconds: a pipe gives a few milliseconds at a time, and each piece costs a turn of the event loop at every step behind it. */
const BLOCK_BYTES = 128_000;

/** The same bytes in blocks of four seconds or a little more, the last one shorter. */
export async function* inBlocks(pcm: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pcm) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes < BLOCK_BYTES) continue;
    yield Buffer.concat(pieces);
    pieces = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(pieces);
}
