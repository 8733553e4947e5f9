import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { booleanParameter, keyId, noParams, noQuery, pageOf, pageQuery, time, timeOfAnyOffset } from '../http/schema.js';
import { scopeSchema } from './scope.js';

const TAG = 'Keys';

const keyFields = {
  key_id: keyId,
  name: z.string(),
  scopes: z.array(scopeSchema),
  created_at: time,
  expires_at: time.optional().meta({ description: 'From then on the key is refused.' }),
};

export const keySchema = z
  .object({ ...keyFields, last_used_at: time.optional().meta({ description: 'To about a minute; absent when it never was.' }) })
  .meta({ id: 'ApiKey' });

const issuedKeySchema = z
  .object({ ...keyFields, api_key: z.string().meta({ description: 'Shown this once.', example: 'pl_01k9z3v4n8…' }) })
  .meta({ id: 'IssuedApiKey' });

const ONE_MONTH_SECONDS = 30 * 24 * 60 * 60;

export const listKeys = defineOperation({
  id: 'listKeys',
  method: 'GET',
  path: '/api/v1/keys',
  tag: TAG,
  summary: 'List the keys of the account',
  access: 'keys',
  params: noParams,
  query: z.strictObject(pageQuery),
  answers: { 200: { description: 'One page; never the keys themselves.', schema: pageOf(keySchema) } },
  problems: ['unknown_field', 'invalid_cursor'],
});

export const createKey = defineOperation({
  id: 'createKey',
  method: 'POST',
  path: '/api/v1/keys',
  tag: TAG,
  summary: 'Make a key',
  description: 'It can have no scope that the calling key lacks, and does not last longer than that.',
  access: 'keys',
  params: noParams,
  query: noQuery,
  body: {
    schema: z
      .strictObject({
        name: z.string().trim().min(1).max(100),
        scopes: z.array(scopeSchema).min(1).max(20).optional().meta({ description: 'Default: those of the calling key.' }),
        expires_at: timeOfAnyOffset().optional().meta({ description: 'RFC 3339, in the future, and not after the end of the calling key. Default: that end, if there is one.' }),
      })
      .meta({ id: 'NewApiKey' }),
  },
  answers: { 201: { description: 'The key, shown this once.', schema: issuedKeySchema, headers: { Location: 'The list of keys.' } } },
  problems: ['unknown_field', 'malformed_json', 'unsupported_media_type', 'payload_too_large', 'invalid_state'],
});

export const deleteKey = defineOperation({
  id: 'deleteKey',
  method: 'DELETE',
  path: '/api/v1/keys/{key_id}',
  tag: TAG,
  summary: 'Revoke a key',
  description: 'Within five seconds no process of the deployment takes it any more. The last key that can make others stays, unless that is said to be meant.',
  access: 'keys',
  params: z.object({ key_id: keyId }),
  query: z.strictObject({
    allow_lockout: booleanParameter().optional().meta({ description: 'Whether the last key with the scope `keys` may go as well; only the operator can make another then.' }),
  }),
  answers: { 204: { description: 'The key is gone.' } },
  problems: ['unknown_field', 'not_found', 'last_key'],
});

export const rotateKey = defineOperation({
  id: 'rotateKey',
  method: 'POST',
  path: '/api/v1/keys/{key_id}/rotate',
  tag: TAG,
  summary: 'Replace a key by a new one',
  description: 'Both work during the overlap; then the old one ends. The new one has its end, if it had any; a key that ends replaces none that lasts longer.',
  access: 'keys',
  params: z.object({ key_id: keyId }),
  query: noQuery,
  body: {
    schema: z
      .strictObject({ overlap_seconds: z.int().min(0).max(ONE_MONTH_SECONDS).default(0).meta({ description: 'Seconds that the old key still works.' }) })
      .meta({ id: 'KeyRotation' }),
    optional: true,
  },
  answers: { 201: { description: 'The new key, shown this once.', schema: issuedKeySchema } },
  problems: ['unknown_field', 'malformed_json', 'unsupported_media_type', 'payload_too_large', 'not_found', 'invalid_state'],
});
