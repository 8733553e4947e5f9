import type { transcription } from '@parlance/contracts';
import { withReadyStart } from '../http/ready-start.js';

export interface RenderedDocument {
  pieces: AsyncGenerator<Uint8Array>;
  /** Characters that the format does not have, and that were replaced; absent where there are none. */
  replacedCharacters?: number | undefined;
}

/** A document as its first messages have come: what they say of it, and its bytes. @throws what the call throws until then */
export async function renderedDocument(messages: AsyncIterable<transcription.RenderTranscriptResponse>): Promise<RenderedDocument> {
  const found: { replacedCharacters?: number | undefined } = {};
  const pieces = await withReadyStart(bytesOf(messages, (replaced) => (found.replacedCharacters = replaced)));
  return { pieces, ...found };
}

async function* bytesOf(messages: AsyncIterable<transcription.RenderTranscriptResponse>, report: (replaced: number) => void): AsyncGenerator<Uint8Array> {
  for await (const { data, replacedCharacters } of messages) {
    if (replacedCharacters !== undefined) report(replacedCharacters);
    yield data;
  }
}
