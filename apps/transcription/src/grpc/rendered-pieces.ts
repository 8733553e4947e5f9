import type { transcription } from '@parlance/contracts';
import type { RenderedBytes } from '@parlance/transcript';

/** Characters or bytes of a message, into which smaller pieces are joined. */
const PIECE_LENGTH = 32 * 1024;

export const renderedMessage = (data: Uint8Array, replacedCharacters?: number): transcription.RenderTranscriptResponse => ({
  data: Buffer.from(data.buffer, data.byteOffset, data.length),
  replacedCharacters,
});

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

/** Bytes in messages of about 32 kB, of which the first says how many characters were replaced. */
export async function* bytesMessages({ replacedCharacters, pieces }: RenderedBytes): AsyncGenerator<transcription.RenderTranscriptResponse> {
  let [held, length, replaced]: [Uint8Array[], number, number | undefined] = [[], 0, replacedCharacters || undefined];
  for await (const piece of pieces) {
    held.push(piece);
    length += piece.length;
    if (length < PIECE_LENGTH) continue;
    yield renderedMessage(Buffer.concat(held), replaced);
    [held, length, replaced] = [[], 0, undefined];
  }
  if (length > 0) yield renderedMessage(Buffer.concat(held), replaced);
}
