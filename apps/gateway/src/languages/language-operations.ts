import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { engineName, languageTag, noParams, noQuery, openEnum } from '../http/schema.js';
import { modelName } from './model-name.js';

const languageEntry = z
  .object({ code: languageTag.meta({ example: 'en' }), name: z.string().meta({ description: 'Its name in English.', example: 'English' }) })
  .meta({ id: 'Language', description: 'A language that the speech engine supports.' });

const DETECTS_LANGUAGE = 'True when the engine transcribes each of its languages although the request names none.';

export const listLanguages = defineOperation({
  id: 'listLanguages',
  method: 'GET',
  path: '/api/v1/languages',
  tag: 'Languages',
  summary: 'List the languages that a speech engine supports',
  description: 'Returns the languages that a job can name, and whether the engine detects the language of a job that names none.',
  access: 'any_key',
  isWithinProject: true,
  params: noParams,
  query: z.strictObject({ model: modelName.optional().meta({ description: 'The name of a model; without it, the default one.' }) }),
  answers: {
    200: {
      description: 'The languages, sorted by name.',
      schema: z
        .object({
          model: z.string().meta({ description: 'The name of the model, as a job gives it.', example: 'default' }),
          engine: engineName.meta({ description: 'The engine behind the model.', example: 'pocketsphinx' }),
          detects_language: z.boolean().meta({ description: DETECTS_LANGUAGE }),
          languages: z.array(languageEntry).meta({ description: 'The languages, sorted by name.' }),
        })
        .meta({ id: 'Languages', description: 'The languages of one model.' }),
    },
  },
  problems: ['unknown_field', 'model_unknown'],
});

const confidence = openEnum(z.enum(['always', 'never', 'sometimes']).meta({ id: 'EngineConfidence', description: '`sometimes` depends on the server or model behind the engine.' }));

const price = z
  .object({
    per_minute: z.number().meta({ description: 'The price of a minute of audio.', example: 0.006 }),
    currency: z.string().meta({ description: 'An ISO 4217 code.', example: 'EUR' }),
  })
  .meta({ id: 'ModelPrice', description: 'What the operator charges.' });

const model = z
  .object({
    model: z.string().meta({ description: 'The name that a job gives as `model`.', example: 'default' }),
    engine: engineName.meta({ description: 'The engine behind the model.', example: 'pocketsphinx' }),
    is_default: z.boolean().meta({ description: 'True for the model of a job that names none.' }),
    hosting: openEnum(z.enum(['local', 'external']).meta({ id: 'EngineHosting', description: '`local`: the audio stays on the machine that transcribes it. `external`: it is sent to another server.' })).meta({ description: 'Where the audio is transcribed.', example: 'local' }),
    available: z.boolean().meta({ description: 'False when something that the engine needs is not installed on the server.' }),
    languages: z.array(languageTag).meta({ description: 'BCP 47 tags of the languages that the engine transcribes; `GET /api/v1/languages` has their names.', example: ['en'] }),
    detects_language: z.boolean().meta({ description: DETECTS_LANGUAGE }),
    reports_language: z.boolean().meta({ description: 'True when the engine says which language it detected. Only then may `language` of a job be an object.' }),
    word_times: z.boolean().meta({ description: 'True when the time of each word is measured, not estimated from longer segments.' }),
    word_confidence: confidence.meta({ description: 'Whether words have a `confidence`; `sometimes` depends on the server behind the engine.', example: 'always' }),
    language_confidence: confidence.meta({ description: 'Whether a detected language has a `confidence`; `sometimes` depends on the server behind the engine.', example: 'never' }),
    vocabulary: z.boolean().meta({ description: 'True when the engine uses the `vocabulary` of a job.' }),
    formats_text: z.boolean().meta({ description: 'True when its text has punctuation and capitals.' }),
    price: price.optional().meta({ description: 'Absent when the operator configured none.' }),
  })
  .meta({ id: 'Model', description: 'A speech engine that a job can choose.' });

export const listModels = defineOperation({
  id: 'listModels',
  method: 'GET',
  path: '/api/v1/models',
  tag: 'Languages',
  summary: 'List the speech engines that a job can choose',
  description: 'Returns the names that a job can give as `model`, with what each engine can do, and what the operator charges for it.',
  access: 'any_key',
  isWithinProject: true,
  params: noParams,
  query: noQuery,
  answers: {
    200: {
      description: 'The models, the default one first.',
      schema: z.object({ data: z.array(model).meta({ description: 'The models, the default one first.' }) }).meta({ id: 'Models', description: 'All speech engines of this server.' }),
    },
  },
  problems: ['unknown_field'],
});

export type ModelJson = z.output<typeof model>;
