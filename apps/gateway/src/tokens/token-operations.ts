import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { idSchema, jobId, keyId, noParams, noQuery, openEnum, pageOf, pageQuery, time } from '../http/schema.js';
import { SCOPES, type Scope } from '../keys/scope.js';
import { uploadId } from '../uploads/stored/upload-schema.js';

const TAG = 'Tokens';
const PATH = '/api/v1/tokens';
const DAY_SECONDS = 24 * 60 * 60;

const tokenId = idSchema('tok', 'tok_01k9z3v4n8');

/** A token must not make keys, which would outlast it. */
const TOKEN_SCOPES = SCOPES.filter((scope): scope is Exclude<Scope, 'keys'> => scope !== 'keys');
const tokenScope = z.enum(TOKEN_SCOPES).meta({ id: 'TokenScope', description: 'A permission of a token.' });

const tokenFields = {
  token_id: tokenId.meta({ description: 'The id by which the token is revoked.' }),
  key_id: keyId.meta({ description: 'The key that created the token. When the key is revoked or expires, the token ends as well.' }),
  scopes: z.array(openEnum(tokenScope)).meta({ description: 'What the token permits.' }),
  job_id: jobId.optional().meta({ description: 'The only transcription that the token gives access to.' }),
  upload_id: uploadId.optional().meta({ description: 'The only upload that the token gives access to.' }),
  created_at: time.meta({ description: 'When the token was created.' }),
  expires_at: time.meta({ description: 'The token is refused from this time on.' }),
};

const tokenSchema = z.object(tokenFields).meta({ id: 'Token', description: 'A short-lived token, without the token itself.' });

const issuedTokenSchema = z
  .object({ ...tokenFields, token: z.string().meta({ description: 'The token itself, to be sent as `Authorization: Bearer <token>`. It is shown only once.', example: 'plt_01k9z3v4n8…' }) })
  .meta({ id: 'IssuedToken', description: 'A new token.' });

export const createToken = defineOperation({
  id: 'createToken',
  method: 'POST',
  path: PATH,
  tag: TAG,
  summary: 'Create a short-lived token',
  description: 'For callers without an API key, such as web pages. It is sent like a key, and to event streams also as `?access_token=`. With `job_id` or `upload_id` it opens nothing else. It counts against the limits of its key, ends with it, and cannot create tokens or keys.',
  access: 'any_key',
  isOpenInDeletion: true,
  isWithinProject: true,
  isForKeysOnly: true,
  repeats: { by: 'kept', secret: true },
  params: noParams,
  query: noQuery,
  body: {
    schema: z
      .strictObject({
        scopes: z.array(tokenScope).min(1).max(20).default(['transcriptions:read']).meta({ description: 'What the token permits; the calling key must have each of these scopes.' }),
        expires_in: z.int().min(1).max(DAY_SECONDS).default(600).meta({ description: 'Seconds until the token expires. It never outlasts the calling key.' }),
        job_id: jobId.optional().meta({ description: 'Limits the token to this transcription.' }),
        upload_id: uploadId.optional().meta({ description: 'Limits the token to this upload.' }),
      })
      .refine(({ job_id: job, upload_id: upload }) => job === undefined || upload === undefined, { path: ['upload_id'], message: 'A token is limited to a transcription or to an upload, not to both.' })
      .meta({ id: 'NewToken', description: 'What a new token permits, and for how long.' }),
    optional: true,
  },
  answers: { 201: { description: 'The new token, which is shown only once.', schema: issuedTokenSchema } },
  problems: ['unknown_field', 'not_found', 'insufficient_scope', 'invalid_state'],
});

export const listTokens = defineOperation({
  id: 'listTokens',
  method: 'GET',
  path: PATH,
  tag: TAG,
  summary: 'List short-lived tokens, newest first',
  description: 'The tokens that the calling key created; with the scope `keys`, those of the account. Tokens are listed until a day after they expired.',
  access: 'any_key',
  isWithinProject: true,
  isForKeysOnly: true,
  params: noParams,
  query: z.strictObject(pageQuery),
  answers: { 200: { description: 'One page of tokens, without the tokens themselves.', schema: pageOf(tokenSchema) } },
  problems: ['unknown_field', 'invalid_cursor', 'insufficient_scope'],
});

export const deleteToken = defineOperation({
  id: 'deleteToken',
  method: 'DELETE',
  path: `${PATH}/{token_id}`,
  tag: TAG,
  summary: 'Revoke a short-lived token',
  description: 'The token is refused within five seconds, and its event streams end. A key revokes the tokens that it created; with the scope `keys`, those of the account.',
  access: 'any_key',
  isWithinProject: true,
  isForKeysOnly: true,
  params: z.object({ token_id: tokenId }),
  query: noQuery,
  answers: { 204: { description: 'The token is revoked.' } },
  problems: ['unknown_field', 'not_found', 'insufficient_scope'],
});
