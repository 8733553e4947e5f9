import { z } from 'zod';

/** A word of a final, written as the job asks; seconds from the start of the session. `raw`: the engine's words, where they differ. */
const word = z.object({ text: z.string(), start: z.number(), end: z.number(), confidence: z.number().optional(), raw: z.string().optional(), redacted: z.string().optional(), redactedBy: z.string().optional() });

/** The utterances of a live session, as the gateway stores them at its end for transcription, which makes the transcript of them. */
const schema = z.object({
  /** The engine that recognized them. */
  engine: z.string(),
  /** In order of time, without overlap. Each that has words is a segment of the transcript. */
  finals: z.array(
    z.object({
      start: z.number(),
      end: z.number(),
      language: z.string().optional(),
      /** A model wrote punctuation and capitals. */
      isPunctuated: z.boolean().optional(),
      words: z.array(word),
    }),
  ),
});

export type LiveFinals = z.infer<typeof schema>;

/** @throws ZodError, SyntaxError when it is something else. */
export const parseLiveFinals = (json: string): LiveFinals => schema.parse(JSON.parse(json));
