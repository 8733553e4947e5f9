import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { noParams, noQuery, openEnum } from '../http/schema.js';

const signUp = openEnum(z.enum(['open', 'verified', 'closed']).meta({ id: 'SignUpAccess', description: 'Who may sign up.' }));

const features = z
  .object({
    sign_up: signUp.meta({ description: '`open`: anybody; `verified`: with a code sent by e-mail; `closed`: the operator creates accounts.', example: 'open' }),
    cross_origin: z.boolean().meta({ description: 'True when web pages of some other origin may call the API.' }),
    max_media_bytes: z.int().min(1).meta({ description: 'The largest media file that is accepted, in bytes.', example: 5_368_709_120 }),
    upload_expiry_hours: z.int().min(1).max(8760).meta({ description: 'Hours after which an unused upload is removed.', example: 24 }),
  })
  .meta({ id: 'ServerFeatures', description: 'Settings of the operator that change what a client can do.' });

const path = (description: string, example: string) => z.string().meta({ description, example });

const links = z
  .object({
    openapi: path('The API description, OpenAPI 3.1.', '/openapi.json'),
    docs: path('The reference for people.', '/docs'),
    problems: path('The page of all error codes.', '/problems'),
    languages: path('The languages of a speech engine.', '/api/v1/languages'),
    models: path('The speech engines.', '/api/v1/models'),
    account: path('The account of the API key.', '/api/v1/account'),
  })
  .meta({ id: 'ServerLinks', description: 'Paths on this server; URLs where it knows its public address.' });

export const getServer = defineOperation({
  id: 'getServer',
  method: 'GET',
  path: '/api/v1',
  tag: 'Server',
  summary: 'Get the version and the features of the server',
  access: 'any_key',
  isWithinProject: true,
  description: 'Says which version answers and what its operator allows.',
  params: noParams,
  query: noQuery,
  answers: {
    200: {
      description: 'The server.',
      schema: z
        .object({
          name: z.string().meta({ description: 'The name of the product.', example: 'Parlance' }),
          version: z.string().meta({ description: 'The version of the product.', example: '0.1.0' }),
          api_version: z.string().meta({ description: 'The version of the API, as in its description; the first number is that of its paths.', example: '1.0.0' }),
          features,
          links,
        })
        .meta({ id: 'Server', description: 'A server of the API.' }),
    },
  },
  problems: ['unknown_field'],
});

export type ServerFeatures = z.output<typeof features>;
export type ServerLinks = z.output<typeof links>;
