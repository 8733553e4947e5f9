/** Joins small pieces into messages worth sending. */
const PIECE_LENGTH = 32 * 1024;

/** Text as UTF-8 in pieces of about 32 kB. */
export async function* utf8Pieces(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let held = '';
  for await (const text of texts) {
    held += text;
    if (held.length < PIECE_LENGTH) continue;
    yield Buffer.from(held);
    held = '';
  }
  if (held !== '') yield Buffer.from(held);
}
