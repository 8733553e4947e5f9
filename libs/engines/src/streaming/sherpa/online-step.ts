import { z } from 'zod';

/** The fields of sherpa-onnx's result that are read: token times in seconds from the start of the stream, and log probabilities of tokens. */
const onlineResult = z.object({
  text: z.string(),
  tokens: z.array(z.string()),
  timestamps: z.array(z.number()).default([]),
  ys_probs: z.array(z.number()).default([]),
});

/** One step of a streaming model: the seconds of its stream that are decoded, and the result so far where a token was added. */
const onlineStep = z.object({ decoded: z.number(), result: onlineResult.optional() });

/** For each part of a question, its steps. */
export const onlineAnswer = z.array(z.array(onlineStep));

export type OnlineResult = z.output<typeof onlineResult>;
export type OnlineStep = z.output<typeof onlineStep>;
