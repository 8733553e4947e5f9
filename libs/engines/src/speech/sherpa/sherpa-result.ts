import { z } from 'zod';

/**
 * The fields of sherpa-onnx's result that are read: token times in seconds from the start of the audio, and log probabilities
 * of tokens.
 */
export const sherpaResult = z.object({
  text: z.string(),
  lang: z.string().default(''),
  tokens: z.array(z.string()).default([]),
  timestamps: z.array(z.number()).default([]),
  durations: z.array(z.number()).default([]),
  ys_log_probs: z.array(z.number()).default([]),
  /** Whisper's segment times, by its time tokens. */
  segment_timestamps: z.array(z.number()).default([]),
  segment_durations: z.array(z.number()).default([]),
  segment_texts: z.array(z.string()).default([]),
});
export type SherpaResult = z.output<typeof sherpaResult>;
