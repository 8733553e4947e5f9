import { z } from 'zod';
import { ETAG, IF_MATCH } from '../http/entity-tags.js';
import { defineOperation } from '../http/operation.js';
import { idSchema, noParams, noQuery, pageOf, pageQuery, time } from '../http/schema.js';

const TAG = 'Vocabularies';
const PATH = '/api/v1/vocabularies';
const BODY_PROBLEMS = ['unknown_field', 'malformed_json', 'unsupported_media_type', 'payload_too_large'] as const;
const MAX_PHRASES = 500;
/** In all phrases together, so that a job with everything that it may have fits into one event. */
const MAX_SOUNDS = 300;
const MAX_TEXT = 60;
/** A phrase has up to five values, and 500 of them are sent at once. */
const BODY_SCALE = 2;

export const vocabularyId = idSchema('voc', 'voc_01k9z3v4n8');

const name = z.string().min(1).max(100).meta({ id: 'VocabularyName', description: 'A name for people.', example: 'Products' });
const term = z.string().min(1).max(MAX_TEXT).regex(/[\p{L}\p{N}]/u, 'This needs a letter or a digit.');

const phrase = z
  .strictObject({
    phrase: term.meta({ description: 'The term as it is to be written.' }),
    sounds_like: z.array(term).max(10).default([]).meta({ id: 'SoundsLike', description: 'Words that engines write instead of it. They are replaced as by `replace`, with any model.', example: ['par lance'] }),
  })
  .meta({ id: 'VocabularyPhrase', description: 'A term of a vocabulary.' });

const phrases = z
  .array(phrase)
  .min(1)
  .max(MAX_PHRASES)
  .refine((all) => all.reduce((sum, { sounds_like: sounds }) => sum + sounds.length, 0) <= MAX_SOUNDS, { message: `There may be at most ${MAX_SOUNDS} sounds_like in all.`, params: { code: 'too_long' } })
  .meta({ description: 'The terms.' });

const vocabularySchema = z
  .object({ vocabulary_id: vocabularyId, name, phrases, created_at: time, updated_at: time })
  .meta({ id: 'Vocabulary', description: 'A saved list of terms.' });

const vocabularySummarySchema = z
  .object({ vocabulary_id: vocabularyId, name, phrase_count: z.int().meta({ description: 'The number of its terms.' }), created_at: time, updated_at: time })
  .meta({ id: 'VocabularySummary', description: 'A saved list without its terms.' });

const params = z.object({ vocabulary_id: vocabularyId });

export const createVocabulary = defineOperation({
  id: 'createVocabulary',
  method: 'POST',
  path: PATH,
  tag: TAG,
  summary: 'Save a vocabulary for jobs to come',
  access: 'transcriptions:write',
  params: noParams,
  query: noQuery,
  body: { schema: z.strictObject({ name, phrases }).meta({ id: 'NewVocabulary', description: 'A vocabulary to save.' }), scale: BODY_SCALE },
  answers: { 201: { description: 'The vocabulary.', schema: vocabularySchema, headers: { Location: 'The vocabulary.' } } },
  problems: [...BODY_PROBLEMS, 'too_many_vocabularies'],
});

export const listVocabularies = defineOperation({
  id: 'listVocabularies',
  method: 'GET',
  path: PATH,
  tag: TAG,
  summary: 'List the vocabularies, newest first',
  access: 'transcriptions:read',
  isWithinProject: true,
  params: noParams,
  query: z.strictObject(pageQuery),
  answers: { 200: { description: 'One page.', schema: pageOf(vocabularySummarySchema) } },
  problems: ['unknown_field', 'invalid_cursor'],
});

export const getVocabulary = defineOperation({
  id: 'getVocabulary',
  method: 'GET',
  path: `${PATH}/{vocabulary_id}`,
  tag: TAG,
  summary: 'Get a vocabulary',
  access: 'transcriptions:read',
  isWithinProject: true,
  params,
  query: noQuery,
  answers: { 200: { description: 'The vocabulary.', schema: vocabularySchema } },
  problems: ['unknown_field', 'not_found'],
});

export const updateVocabulary = defineOperation({
  id: 'updateVocabulary',
  method: 'PATCH',
  path: `${PATH}/{vocabulary_id}`,
  tag: TAG,
  summary: 'Change a vocabulary',
  description: 'Jobs keep the terms that they were created with.',
  access: ['transcriptions:write', 'transcriptions:read'],
  params,
  query: noQuery,
  body: {
    schema: z
      .strictObject({ name: name.optional(), phrases: phrases.optional() })
      .refine((changes) => Object.keys(changes).length > 0, 'The request changes nothing.')
      .meta({ id: 'VocabularyChanges', description: 'The parts to replace; the rest stays.' }),
    scale: BODY_SCALE,
  },
  headers: IF_MATCH,
  answers: { 200: { description: 'The vocabulary after the change.', schema: vocabularySchema, headers: ETAG } },
  problems: [...BODY_PROBLEMS, 'not_found', 'precondition_failed'],
});

export const deleteVocabulary = defineOperation({
  id: 'deleteVocabulary',
  method: 'DELETE',
  path: `${PATH}/{vocabulary_id}`,
  tag: TAG,
  summary: 'Delete a vocabulary',
  description: 'Jobs created with it keep its terms until erased.',
  access: 'transcriptions:write',
  params,
  query: noQuery,
  answers: { 204: { description: 'The vocabulary is deleted.' } },
  problems: ['unknown_field', 'not_found', 'legal_hold'],
});

export type PhraseJson = z.output<typeof phrase>;
