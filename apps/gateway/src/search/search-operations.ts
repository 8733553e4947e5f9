import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { CREATED_AFTER, CREATED_BEFORE, endSeconds, jobId, languageTag, limitParameter, metadataParameter, noParams, openEnum, pageOf, projectId, seconds, segmentId, speakerName, speakerRef, startSeconds, time, timeParameter } from '../http/schema.js';
import { canonicalLanguage } from '../languages/language-tag.js';
import { metadataKey } from '../transcriptions/job-options-schema.js';

export const SEARCH_MODES = ['hybrid', 'semantic', 'lexical'] as const;

const searchMode = z.enum(SEARCH_MODES).meta({ id: 'SearchMode', description: 'How passages are found: by words, by meaning, or by both.' });

/** A cursor contains which of 200 hits were returned. */
const MAX_CURSOR_LENGTH = 2048;
/** Characters; what follows the first 2000 does not count. */
const MAX_QUERY_LENGTH = 10_000;
/** Far beyond the length of a passage. */
const MAX_OFFSET = 1_000_000;

const LANGUAGE = z
  .string()
  .max(64)
  .refine((tag) => canonicalLanguage(tag) !== undefined, 'This must be a BCP 47 tag.');

/** Which passages are looked at, by the passage's own and its job's. */
export const filterShape = {
  job_id: jobId.optional().meta({ description: 'The job to search in. Default: all jobs of the account.' }),
  speaker: z.string().min(1).max(200).optional().meta({ description: 'The id or the name of a speaker, in upper or lower case.' }),
  language: LANGUAGE.optional().meta({ description: 'The language of a passage, as a BCP 47 tag; `en` also finds `en-GB`.' }),
  created_after: timeParameter().optional().meta({ description: CREATED_AFTER }),
  created_before: timeParameter().optional().meta({ description: CREATED_BEFORE }),
};

const offset = z.int().min(0).max(MAX_OFFSET);

const textRange = z
  .object({ start: offset.meta({ description: 'The first code unit.' }), end: offset.meta({ description: 'The code unit after the last one.' }) })
  .meta({ id: 'TextRange', description: 'A part of a text by offsets in UTF-16 code units.' });

/** A pair is described as a list of two: generators for Python and Go cannot read a tuple of JSON Schema. */
const pair = z.tuple([offset, offset]).meta({ override: { prefixItems: undefined, items: { type: 'integer', format: 'int32' }, minItems: 2, maxItems: 2 } });

const matches = z
  .object({
    text: z.string().meta({ description: 'The part of the passage that matches best.' }),
    ranges: z.array(textRange).meta({ description: 'The matches in this text.' }),
    marks: z.array(pair).meta({ description: '`ranges` as pairs: start inclusive, end exclusive.', example: [[11, 14]] }),
  })
  .meta({ id: 'MatchedText', description: 'The text that matches, and what matches in it.' });

const hitSchema = z
  .object({
    job_id: jobId,
    segment_id: segmentId.meta({ description: 'The segment in which the passage begins.' }),
    start: startSeconds,
    end: endSeconds,
    jump_to: seconds.meta({ description: 'When playback of the match starts.' }),
    speaker_id: speakerRef.optional(),
    speaker: speakerName.optional(),
    language: languageTag,
    text: z.string().meta({ description: 'The passage: a few sentences of one speaker.' }),
    highlights: matches.meta({ description: 'The part of the passage that matches best.' }),
    score: z.number().meta({ description: 'Orders the hits of this search; it is not an absolute measure of relevance.' }),
    created_at: time.meta({ description: 'When the job was created.' }),
  })
  .meta({ id: 'SearchHit', description: 'A passage that was found.' });

export const searchTranscripts = defineOperation({
  id: 'searchTranscripts',
  method: 'GET',
  path: '/api/v1/search',
  tag: 'Search',
  summary: 'Search transcripts by words and by meaning',
  description: 'Words in quotes must be adjacent in every hit; other words may contain a typing error. `mode` of the answer is `lexical` when the embedding engine does not support the language. At most 200 hits are found.',
  access: 'search',
  isWithinProject: true,
  params: noParams,
  query: z.strictObject({
    q: z.string().min(1).refine((text) => text.trim() !== '', 'This must not be blank.').max(MAX_QUERY_LENGTH).meta({ description: 'A question, words, or a "phrase in quotes".', example: 'what did they decide about the budget' }),
    mode: searchMode.optional().meta({ description: 'Default hybrid.' }),
    ...filterShape,
    metadata: metadataParameter(metadataKey),
    project_id: projectId.optional().meta({ description: 'Finds jobs of this project.' }),
    limit: limitParameter(20),
    cursor: z.string().min(1).max(MAX_CURSOR_LENGTH).optional().meta({ description: '`next_cursor` of the previous page.' }),
  }),
  answers: {
    200: {
      description: 'One page of hits, the best first.',
      schema: z.object({ ...pageOf(hitSchema).shape, mode: openEnum(searchMode).meta({ description: 'The mode that was used.' }) }).meta({ id: 'SearchHitPage', description: 'One page of hits.' }),
    },
  },
  problems: ['unknown_field', 'invalid_cursor'],
});
