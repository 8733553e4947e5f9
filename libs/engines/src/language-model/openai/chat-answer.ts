import { z } from 'zod';
import type { Generation, TokenUsage } from '../language-model.js';

/** The required fields of OpenAI's chat completions, as in the API reference; servers omit and add others. */
const usage = z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish();

export const chatCompletion = z.object({
  choices: z.array(
    z.object({
      message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
      finish_reason: z.string().nullish(),
    }),
  ),
  usage,
});

export const chatChunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }).nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .optional(),
  usage,
});

export function finishReasonOf(reason: string | null | undefined): Generation['finishReason'] {
  if (reason === 'length') return 'length';
  return reason === 'content_filter' ? 'filtered' : 'complete';
}

export const usageOf = (counted: z.output<typeof usage>): { usage?: TokenUsage } =>
  counted ? { usage: { inputTokens: counted.prompt_tokens, outputTokens: counted.completion_tokens } } : {};
