import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { noParams, noQuery } from '../http/schema.js';

export const listLanguages = defineOperation({
  id: 'listLanguages',
  method: 'GET',
  path: '/api/v1/languages',
  tag: 'Languages',
  summary: 'List the languages that the speech engine supports',
  access: 'any_key',
  params: noParams,
  query: noQuery,
  answers: {
    200: {
      description: 'The languages, sorted by name.',
      schema: z
        .object({
          engine: z.string().meta({ example: 'pocketsphinx' }),
          detects_language: z.boolean().meta({ description: 'True when the engine detects the language if the job does not name one.' }),
          languages: z.array(z.object({ code: z.string().meta({ example: 'en' }), name: z.string().meta({ example: 'English' }) })),
        })
        .meta({ id: 'Languages' }),
    },
  },
  problems: ['unknown_field'],
});
