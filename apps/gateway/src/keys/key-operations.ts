import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { booleanParameter, keyId, noParams, noQuery, openEnum, pageOf, pageQuery, projectId, seconds, time, timeOfAnyOffset } from '../http/schema.js';
import { scopeSchema } from './scope.js';

const TAG = 'Keys';

const monthlySeconds = z.int().min(1).max(1_000_000_000).meta({ description: 'Seconds of audio that the jobs of the key may use in a calendar month (UTC).' });

const keyFields = {
  key_id: keyId,
  name: z.string().meta({ description: 'The name that was given to the key.' }),
  scopes: z.array(openEnum(scopeSchema)).meta({ description: 'What the key permits.' }),
  project_id: projectId.optional().meta({ description: 'The project that the key is bound to.' }),
  monthly_seconds: monthlySeconds.optional(),
  created_at: time,
  expires_at: time.optional().meta({ description: 'The key is refused from this time on.' }),
};

const keySchema = z
  .object({ ...keyFields, last_used_at: time.optional().meta({ description: 'The time of its last use, to about a minute. Absent when the key was never used.' }), used_seconds: seconds.optional().meta({ description: 'Used of `monthly_seconds`, rotations included.' }) })
  .meta({ id: 'ApiKey', description: 'A key of the account, without its secret.' });

const issuedKeySchema = z
  .object({ ...keyFields, api_key: z.string().meta({ description: 'The key itself. It is shown only once.', example: 'pl_01k9z3v4n8…' }) })
  .meta({ id: 'IssuedApiKey', description: 'A new key.' });

const ONE_MONTH_SECONDS = 30 * 24 * 60 * 60;

export const listKeys = defineOperation({
  id: 'listKeys',
  method: 'GET',
  path: '/api/v1/keys',
  tag: TAG,
  summary: 'List the API keys of the account',
  access: 'keys',
  params: noParams,
  query: z.strictObject(pageQuery),
  answers: { 200: { description: 'One page of keys, without the secrets themselves.', schema: pageOf(keySchema) } },
  problems: ['unknown_field', 'invalid_cursor'],
});

export const getKey = defineOperation({
  id: 'getKey',
  method: 'GET',
  path: '/api/v1/keys/{key_id}',
  tag: TAG,
  summary: 'Get an API key',
  access: 'keys',
  params: z.object({ key_id: keyId }),
  query: noQuery,
  answers: { 200: { description: 'The key, without the secret itself.', schema: keySchema } },
  problems: ['unknown_field', 'not_found'],
});

export const createKey = defineOperation({
  id: 'createKey',
  method: 'POST',
  path: '/api/v1/keys',
  tag: TAG,
  summary: 'Create an API key',
  description:
    'The new key cannot have a scope that the calling key lacks, nor outlast it. An account has at most 1,000 keys. A calling key that lacks a scope in use can create 100 keys, those of its keys included; the last 100 are for keys with every scope in use.',
  access: 'keys',
  repeats: { by: 'kept', secret: true },
  params: noParams,
  query: noQuery,
  body: {
    schema: z
      .strictObject({
        name: z.string().trim().min(1).max(100).meta({ description: 'What the key is for.' }),
        scopes: z.array(scopeSchema).min(1).max(20).optional().meta({ description: 'Default: the scopes of the calling key.' }),
        expires_at: timeOfAnyOffset().optional().meta({ description: 'A future time, not after the expiry of the calling key, which is the default.' }),
        project_id: projectId.optional().meta({ description: 'Binds the key to a project: it reaches nothing else. It cannot have the scopes `keys`, `usage` and `audit`. Absent or null: the key is not bound, as the calling key is not.' }),
        monthly_seconds: monthlySeconds.optional(),
      })
      .meta({ id: 'NewApiKey', description: 'A key to create.' }),
  },
  answers: { 201: { description: 'The new key, which is shown only once.', schema: issuedKeySchema, headers: { Location: 'The key.' } } },
  problems: ['unknown_field', 'malformed_json', 'unsupported_media_type', 'payload_too_large', 'invalid_state'],
});

export const updateKey = defineOperation({
  id: 'updateKey',
  method: 'PATCH',
  path: '/api/v1/keys/{key_id}',
  tag: TAG,
  summary: 'Change the budget of an API key',
  access: 'keys',
  params: z.object({ key_id: keyId }),
  query: noQuery,
  body: { schema: z.strictObject({ monthly_seconds: monthlySeconds.nullable().meta({ description: 'The new budget.' }) }).meta({ id: 'KeyChanges', description: 'What changes of a key; null removes its budget.' }) },
  answers: { 200: { description: 'The key.', schema: keySchema } },
  problems: ['unknown_field', 'not_found'],
});

export const deleteKey = defineOperation({
  id: 'deleteKey',
  method: 'DELETE',
  path: '/api/v1/keys/{key_id}',
  tag: TAG,
  summary: 'Revoke an API key',
  description: 'The key is refused within five seconds. The calling key must have every scope of the revoked key. The last key that can give a scope to new keys is not revoked unless `allow_lockout` is true.',
  access: 'keys',
  params: z.object({ key_id: keyId }),
  query: z.strictObject({
    allow_lockout: booleanParameter().optional().meta({ description: 'When true, also revokes the last key that can give a scope to new keys. Not possible for a key that outlasts the calling key.' }),
  }),
  answers: { 204: { description: 'The key is revoked.' } },
  problems: ['unknown_field', 'not_found', 'last_key', 'invalid_state'],
});

export const rotateKey = defineOperation({
  id: 'rotateKey',
  method: 'POST',
  path: '/api/v1/keys/{key_id}/rotate',
  tag: TAG,
  summary: 'Replace an API key by a new one',
  description: 'The calling key must have every scope of the old key, and last as long. Both keys work during the overlap; then the old key expires. The new key has the expiry of the old one. A key and its rotations are at most 10 valid keys.',
  access: 'keys',
  isOpenInDeletion: true,
  repeats: { by: 'kept', secret: true },
  params: z.object({ key_id: keyId }),
  query: noQuery,
  body: {
    schema: z
      .strictObject({ overlap_seconds: z.int().min(0).max(ONE_MONTH_SECONDS).default(0).meta({ description: 'Seconds for which the old key still works.' }) })
      .meta({ id: 'KeyRotation', description: 'How to replace a key.' }),
    optional: true,
  },
  answers: { 201: { description: 'The new key, which is shown only once.', schema: issuedKeySchema } },
  problems: ['unknown_field', 'malformed_json', 'unsupported_media_type', 'payload_too_large', 'not_found', 'invalid_state'],
});
