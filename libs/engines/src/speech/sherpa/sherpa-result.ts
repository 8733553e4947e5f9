import { z } from 'zod';

/** What is read of sherpa-onnx's result: token times in seconds from the start of what it heard, log probabilities of tokens. */
export const sherpaResult = z.object({
  text: z.string(),
  lang: z.string().default(''),
  tokens: z.array(z.string()).default([]),
  timestamps: z.array(z.number()).default([]),
  durations: z.array(z.number()).default([]),
  ys_log_probs: z.array(z.number()).default([]),
  /** Of Whisper, by its time tokens. */
  segment_timestamps: z.array(z.number()).default([]),
  segment_durations: z.array(z.number()).default([]),
  segment_texts: z.array(z.string()).default([]),
});
export type SherpaResult = z.output<typeof sherpaResult>;
