import { z } from 'zod';

/**
 * A name of zero-width spaces would be invisible (an empty one is refused by its length), and one with bidirectional
 * embeddings would reverse the text beside it.
 */
const NAME = /^[^\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u;
const NAME_RULE = 'This must be one line with visible characters, and without marks that change the direction of the text around it.';
const SAYS_SOMETHING = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** The display name that a caller gives a speaker. */
export const newSpeakerName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(NAME, NAME_RULE)
  .refine((text) => text === '' || SAYS_SOMETHING.test(text), { message: NAME_RULE, params: { code: 'invalid_format' } })
  // The pattern is more than most generators can make texts of.
  .meta({ description: 'One line with visible characters.', example: 'Ada Lovelace', override: { pattern: undefined } });
