import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { endSeconds, jobParams, nextCursor, pageOf, pageQuery, segmentId, speakerRef, startSeconds } from '../http/schema.js';
import { channelNumber, wordId } from '../transcriptions/job-schema.js';
import { revisionParameter } from './transcript-operations.js';

const TAG = 'Transcripts';
const JOB = '/api/v1/transcriptions/{job_id}';
const PROBLEMS = ['unknown_field', 'not_found', 'invalid_state', 'invalid_cursor'] as const;
const MAX_PHRASES = 20;

const spoken = { start: startSeconds, end: endSeconds, speaker_id: speakerRef.optional(), channel: channelNumber.optional() };

const textPart = z
  .object({
    ...spoken,
    text: z.string().meta({ description: 'Its text.' }),
    segment_ids: z.array(segmentId).meta({ description: 'The segments that it has words of, in order.' }),
    first_word_id: wordId.optional().meta({ description: 'Its first word.' }),
    last_word_id: wordId.optional().meta({ description: 'Its last word.' }),
  })
  .meta({ id: 'TextPart', description: 'A sentence or a paragraph of a transcript, said by one speaker.' });

const query = z.strictObject({ revision: revisionParameter, ...pageQuery });
const answers = { 200: { description: 'One page.', schema: pageOf(textPart) } };

export const listSentences = defineOperation({
  id: 'listSentences',
  method: 'GET',
  path: `${JOB}/sentences`,
  tag: TAG,
  summary: 'List the sentences of a transcript',
  description: 'A sentence ends with its punctuation, at another speaker or channel, and at a pause of 2 seconds; without punctuation, each segment is one.',
  access: 'transcriptions:read',
  params: jobParams,
  query,
  answers,
  problems: PROBLEMS,
});

export const listParagraphs = defineOperation({
  id: 'listParagraphs',
  method: 'GET',
  path: `${JOB}/paragraphs`,
  tag: TAG,
  summary: 'List the paragraphs of a transcript',
  description: 'Whole sentences, as documents have them.',
  access: 'transcriptions:read',
  params: jobParams,
  query,
  answers,
  problems: PROBLEMS,
});

const phrase = z.string().max(200).regex(/[\p{L}\p{N}]/u, 'This needs a letter or a digit.');
const phraseList = z
  .string()
  .transform((text) => text.split(',').map((each) => each.trim()))
  .pipe(z.array(phrase).min(1).max(MAX_PHRASES));

const wordOccurrence = z
  .object({
    phrase: z.string().meta({ description: 'The word or phrase of the request.' }),
    ...spoken,
    text: z.string().meta({ description: 'Its words as the transcript has them.' }),
    segment_id: segmentId.meta({ description: 'The segment of its first word.' }),
    word_ids: z.array(wordId).meta({ description: 'Its words.' }),
  })
  .meta({ id: 'WordOccurrence', description: 'A place where a word or phrase is said.' });

const phraseCount = z
  .object({ phrase: z.string().meta({ description: 'The word or phrase.' }), count: z.int().min(0).meta({ description: 'How often it is said in the whole transcript.' }) })
  .meta({ id: 'PhraseCount', description: 'How often a word or phrase is said.' });

export const findWords = defineOperation({
  id: 'findWords',
  method: 'GET',
  path: `${JOB}/words`,
  tag: TAG,
  summary: 'Find where words and phrases are said',
  description: 'Whole words, compared without case, accents and punctuation.',
  access: 'transcriptions:read',
  params: jobParams,
  query: z.strictObject({
    q: phraseList.meta({
      description: 'Words and phrases, separated by commas.',
      param: { style: 'form', explode: false, example: ['budget', 'two hires'] },
      override: { type: 'array', minItems: 1, maxItems: MAX_PHRASES, items: { type: 'string', maxLength: 200 } },
    }),
    revision: revisionParameter,
    ...pageQuery,
  }),
  answers: {
    200: {
      description: 'One page, in order of time.',
      schema: z
        .object({ data: z.array(wordOccurrence).meta({ description: 'The items.' }), next_cursor: nextCursor, counts: z.array(phraseCount).meta({ description: 'The counts in the order of `q`.' }) })
        .meta({ id: 'WordOccurrencePage', description: 'One page of occurrences, and how many there are.' }),
    },
  },
  problems: PROBLEMS,
});
