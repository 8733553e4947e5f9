import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { jobId, limitParameter, noParams, pageOf, seconds, time, timeParameter } from '../http/schema.js';
import { canonicalLanguage } from '../languages/language-tag.js';
import { metadataKey } from '../transcriptions/job-options-schema.js';

export const SEARCH_MODES = ['hybrid', 'semantic', 'lexical'] as const;

/** A cursor contains which of 200 hits were returned. */
const MAX_CURSOR_LENGTH = 2048;
/** Characters; what follows the first 2000 does not count. */
const MAX_QUERY_LENGTH = 10_000;

const LANGUAGE = z
  .string()
  .max(64)
  .refine((tag) => canonicalLanguage(tag) !== undefined, 'This must be a BCP 47 tag.')
  .meta({ description: 'A BCP 47 tag; `en` also finds `en-GB`.' });

/** Which passages are looked at, by the passage's own and its job's. */
export const filterShape = {
  job_id: jobId.optional(),
  speaker: z.string().min(1).max(200).optional().meta({ description: 'The id or the name of a speaker, in upper or lower case.' }),
  language: LANGUAGE.optional(),
  created_after: timeParameter().optional().meta({ description: 'Finds jobs created at this time or later (RFC 3339).' }),
  created_before: timeParameter().optional().meta({ description: 'Finds jobs created before this time (RFC 3339).' }),
};

const hitSchema = z
  .object({
    job_id: jobId,
    segment_id: z.string().meta({ description: 'The segment in which the passage begins.' }),
    start: seconds,
    end: seconds,
    jump_to: seconds.meta({ description: 'The time from which to play the recording to hear the match.' }),
    speaker_id: z.string().optional(),
    speaker: z.string().optional().meta({ description: 'The current name of the speaker.' }),
    language: z.string(),
    text: z.string().meta({ description: 'The passage: a few sentences of one speaker.' }),
    highlights: z.object({
      text: z.string().meta({ description: 'The part of the passage that matches best.' }),
      marks: z.array(z.tuple([z.int(), z.int()])).meta({ description: 'The matches, as offsets in this text (UTF-16 code units): start inclusive, end exclusive.' }),
    }),
    score: z.number().meta({ description: 'Orders the hits of this search; it is not an absolute measure of relevance.' }),
    created_at: time.meta({ description: 'The time at which the job was created.' }),
  })
  .meta({ id: 'SearchHit' });

export const searchTranscripts = defineOperation({
  id: 'searchTranscripts',
  method: 'GET',
  path: '/api/v1/search',
  tag: 'Search',
  summary: 'Search transcripts by words and by meaning',
  description:
    'Words in quotes must be adjacent in every hit; other words may contain a typing error. `mode` in the response is the mode that was used: `lexical` when the ' +
    'embedding engine does not support the language. The search returns at most 200 hits.',
  access: 'search',
  params: noParams,
  query: z.strictObject({
    q: z.string().min(1).max(MAX_QUERY_LENGTH).meta({ description: 'A question, words, or a "phrase in quotes".', example: 'what did they decide about the budget' }),
    mode: z.enum(SEARCH_MODES).optional().meta({ description: 'Default hybrid.' }),
    ...filterShape,
    metadata: z
      .record(metadataKey, z.string().max(512))
      .optional()
      .meta({ description: '`metadata[key]=value` of the job; all pairs must match.', param: { style: 'deepObject', explode: true } }),
    limit: limitParameter(20),
    cursor: z.string().min(1).max(MAX_CURSOR_LENGTH).optional().meta({ description: '`next_cursor` of the previous page.' }),
  }),
  answers: {
    200: {
      description: 'One page of hits, the best first.',
      schema: z.object({ ...pageOf(hitSchema).shape, mode: z.enum(SEARCH_MODES) }).meta({ id: 'SearchHitPage' }),
    },
  },
  problems: ['unknown_field', 'invalid_cursor'],
});
