import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { engineName, languageTag, noParams, noQuery } from '../http/schema.js';

const languageSchema = z
  .object({ code: languageTag.meta({ example: 'en' }), name: z.string().meta({ description: 'Its name in English.', example: 'English' }) })
  .meta({ id: 'Language', description: 'A language that the speech engine supports.' });

export const listLanguages = defineOperation({
  id: 'listLanguages',
  method: 'GET',
  path: '/api/v1/languages',
  tag: 'Languages',
  summary: 'List the languages that the speech engine supports',
  description: 'Returns the languages that a job can name, and whether the engine detects the language of a job that names none.',
  access: 'any_key',
  params: noParams,
  query: noQuery,
  answers: {
    200: {
      description: 'The languages, sorted by name.',
      schema: z
        .object({
          engine: engineName.meta({ description: 'The speech engine.', example: 'pocketsphinx' }),
          detects_language: z.boolean().meta({ description: 'True when the engine detects the language if the job does not name one.' }),
          languages: z.array(languageSchema).meta({ description: 'The languages, sorted by name.' }),
        })
        .meta({ id: 'Languages', description: 'What the speech engine supports.' }),
    },
  },
  problems: ['unknown_field'],
});
