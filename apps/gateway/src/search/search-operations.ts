import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { integerParameter, jobId, noParams, seconds, time, timeParameter } from '../http/schema.js';
import { canonicalLanguage } from '../languages/language-tag.js';
import { metadataKey } from '../transcriptions/job-options-schema.js';

export const SEARCH_MODES = ['hybrid', 'semantic', 'lexical'] as const;

/** A cursor tells which of 200 hits were given. */
const MAX_CURSOR_LENGTH = 2048;
/** Characters; what follows the first 2000 does not count. */
const MAX_QUERY_LENGTH = 10_000;

const LANGUAGE = z
  .string()
  .max(64)
  .refine((tag) => canonicalLanguage(tag) !== undefined, 'This must be a BCP 47 tag.')
  .meta({ description: 'BCP 47; `en` finds `en-GB` too.' });

/** Which passages are looked at, by the passage's own and its job's. */
export const filterShape = {
  job_id: jobId.optional(),
  speaker: z.string().min(1).max(200).optional().meta({ description: 'Id or name, whatever its case.' }),
  language: LANGUAGE.optional(),
  created_after: timeParameter().optional().meta({ description: 'Of the job. RFC 3339, inclusive.' }),
  created_before: timeParameter().optional().meta({ description: 'Of the job. RFC 3339, exclusive.' }),
};

const hitSchema = z
  .object({
    job_id: jobId,
    segment_id: z.string().meta({ description: 'Where the passage begins.' }),
    start: seconds,
    end: seconds,
    jump_to: seconds.meta({ description: 'Where to listen from, to hear what was looked for.' }),
    speaker_id: z.string().optional(),
    speaker: z.string().optional().meta({ description: 'The speaker’s name as it is now.' }),
    language: z.string(),
    text: z.string().meta({ description: 'The passage: a few sentences of one speaker.' }),
    highlights: z.object({
      text: z.string().meta({ description: 'The part of the passage with most of what was looked for.' }),
      marks: z.array(z.tuple([z.int(), z.int()])).meta({ description: 'What fits, as offsets in this text (UTF-16 code units): from, and before.' }),
    }),
    score: z.number().meta({ description: 'For the order; says nothing about how well it fits.' }),
    created_at: time.meta({ description: 'Of the job.' }),
  })
  .meta({ id: 'SearchHit' });

export const searchTranscripts = defineOperation({
  id: 'searchTranscripts',
  method: 'GET',
  path: '/api/v1/search',
  tag: 'Search',
  summary: 'Search transcripts by words and by meaning',
  description:
    'Words in quotes stand together in every hit; a word may have a typing error. `mode` in the answer says how it was really searched: by words alone where the ' +
    'embedding engine does not know the language. Ends after 200 hits.',
  access: 'search',
  params: noParams,
  query: z.strictObject({
    q: z.string().min(1).max(MAX_QUERY_LENGTH).meta({ description: 'A question, words, or a "phrase in quotes".', example: 'what did they decide about the budget' }),
    mode: z.enum(SEARCH_MODES).optional().meta({ description: 'Default hybrid.' }),
    ...filterShape,
    metadata: z
      .record(metadataKey, z.string().max(512))
      .optional()
      .meta({ description: '`metadata[key]=value`, of the job; several must all match.', param: { style: 'deepObject', explode: true } }),
    limit: integerParameter(1, 100).default(20).meta({ description: 'Hits a page.', override: { type: 'integer', minimum: 1, maximum: 100, default: 20, pattern: undefined } }),
    cursor: z.string().min(1).max(MAX_CURSOR_LENGTH).optional().meta({ description: '`next_cursor` of the page before.' }),
  }),
  answers: {
    200: {
      description: 'One page, the best first.',
      schema: z.object({ data: z.array(hitSchema), mode: z.enum(SEARCH_MODES), next_cursor: z.string().nullable().meta({ description: 'null on the last page.' }) }),
    },
  },
  problems: ['unknown_field', 'invalid_cursor'],
});
