import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { engineName, jobId, jobParams, languageTag, noQuery, openEnum, time } from '../http/schema.js';
import { failureSchema } from '../transcriptions/job-schema.js';
import { languageSchema } from '../transcriptions/job-options-schema.js';
import { summaryStatus, tokenUsage } from '../summaries/summary-schema.js';

const TAG = 'Summaries and highlights';
const TRANSLATIONS = '/api/v1/transcriptions/{job_id}/translations';

const translationSchema = z
  .object({
    job_id: z.string().meta({ description: 'The job whose transcript is translated.' }),
    language: languageTag.meta({ description: 'The language of the translation (BCP 47).' }),
    status: openEnum(summaryStatus).meta({ description: 'The state of the translation.' }),
    created_at: time,
    completed_at: time.optional(),
    error: failureSchema.optional().meta({ description: 'The reason, when there is no translation.' }),
    segments_total: z.int().meta({ description: 'The segments of the transcript; 0 until the work begins.' }),
    segments_done: z.int().meta({ description: 'The segments that are translated.' }),
    outdated: z.boolean().meta({ description: 'True when the transcript or a speaker’s name changed since. Creating it again translates only what changed.' }),
    engine: engineName.optional(),
    usage: tokenUsage.optional().meta({ description: 'The tokens of all attempts.' }),
    links: z.object({ self: z.string().meta({ description: 'The path of the translation.' }), transcript: z.string().meta({ description: 'The path of the translated transcript.' }) }).meta({ id: 'TranslationLinks', description: 'Where the translation can be read.' }),
  })
  .meta({ id: 'Translation', description: 'A translation of a transcript. `getTranscript` and `exportTranscript` have its text, with `language`.' });

export type TranslationJson = z.output<typeof translationSchema>;

export const createTranslation = defineOperation({
  id: 'createTranslation',
  method: 'POST',
  path: TRANSLATIONS,
  tag: TAG,
  summary: 'Translate a transcript',
  description: 'By the language model of the server; without one it is refused as `translation_unsupported`. One that exists is returned; one that failed or is outdated is made again.',
  access: 'transcriptions:write',
  params: jobParams,
  query: noQuery,
  body: { schema: z.strictObject({ language: languageSchema.meta({ description: 'The language to translate into (BCP 47).', example: 'de' }) }).meta({ id: 'NewTranslation', description: 'Which translation to make.' }) },
  answers: { 202: { description: 'The translation, as far as it is made.', schema: translationSchema, headers: { Location: 'The translation.' } } },
  problems: ['unknown_field', 'not_found', 'invalid_state', 'translation_unsupported', 'malformed_json', 'payload_too_large', 'unsupported_media_type', 'request_timeout', 'storage_full'],
});

export const getTranslation = defineOperation({
  id: 'getTranslation',
  method: 'GET',
  path: `${TRANSLATIONS}/{language}`,
  tag: TAG,
  summary: 'Get the state of a translation',
  description: 'Poll it until its `status` is completed, failed or skipped.',
  access: 'transcriptions:read',
  params: z.object({ job_id: jobId, language: languageSchema }),
  query: noQuery,
  answers: { 200: { description: 'The translation as far as it is made.', schema: translationSchema } },
  problems: ['unknown_field', 'not_found'],
});
