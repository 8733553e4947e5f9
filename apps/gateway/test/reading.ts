import { transcription, type transcripts } from '@parlance/contracts';
import type { TranscriptReading } from '../src/compat/transcript-text.js';

/** A transcript of these segments. */
export function readingOf(segments: Iterable<transcripts.Segment>, header: Partial<transcription.TranscriptHeader> = {}): TranscriptReading {
  return {
    header: { ...transcription.TranscriptHeader.fromPartial({}), ...header },
    segments: async function* () {
      yield* segments;
    },
  };
}

/** The whole text, as JSON. */
export async function jsonOf<T = object>(pieces: AsyncIterable<string>): Promise<T> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return JSON.parse(text) as T;
}
