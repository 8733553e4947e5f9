import type { transcripts } from '@parlance/contracts';
import { separator } from '@parlance/transcript';
import { flatMap } from '../transcript-text.js';
import { logProbability } from '../whisper-segment.js';

/** A token of the text (openapi.yaml of OpenAI, TranscriptTextDoneEvent). */
export interface TokenProbability {
  token: string;
  /** Natural logarithm. */
  logprob: number;
  /** UTF-8. */
  bytes: number[];
}

/** A token for each word with the space before it, as engines here have a confidence of words. A word without one is left out: there is no neutral probability. */
export async function* wordTokens(segments: AsyncIterable<transcripts.Segment>): AsyncGenerator<TokenProbability> {
  let previous = '';
  for await (const { text, confidence } of flatMap(segments, ({ words }) => words)) {
    const token = (previous === '' ? '' : separator(previous, text)) + text;
    previous = text;
    if (confidence !== undefined) yield { token, logprob: logProbability(confidence), bytes: [...Buffer.from(token)] };
  }
}
