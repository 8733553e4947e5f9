import type { transcripts } from '@parlance/contracts';

/** A segment in Whisper's form. What no engine of ours gives has a neutral value: no tokens, no compression, no silence. */
export const whisperSegment = ({ start, end, text, confidence }: transcripts.Segment, id: number) => ({
  id,
  seek: 0,
  start,
  end,
  text: ` ${text}`,
  tokens: [],
  temperature: 0,
  avg_logprob: confidence === undefined || confidence <= 0 ? 0 : Math.log(confidence),
  compression_ratio: 1,
  no_speech_prob: 0,
});
