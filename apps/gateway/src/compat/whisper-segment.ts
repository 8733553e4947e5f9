import type { transcripts } from '@parlance/contracts';

/** OpenAI's value for what has no probability at all: JSON has no infinity. */
const IMPOSSIBLE = -9999;

/** The natural logarithm of a confidence from 0 to 1. */
export const logProbability = (confidence: number): number => (confidence > 0 ? Math.log(confidence) : IMPOSSIBLE);

/** A segment in Whisper's form. What no engine of ours gives has a neutral value: no tokens, no compression, no silence. */
export const whisperSegment = ({ start, end, text, confidence }: transcripts.Segment, id: number) => ({
  id,
  seek: 0,
  start,
  end,
  text: ` ${text}`,
  tokens: [],
  temperature: 0,
  avg_logprob: confidence === undefined ? 0 : logProbability(confidence),
  compression_ratio: 1,
  no_speech_prob: 0,
});
