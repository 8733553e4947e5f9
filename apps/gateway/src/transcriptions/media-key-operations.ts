import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { noParams, noQuery, time } from '../http/schema.js';

const mediaKey = z
  .object({
    id: z.string().meta({ description: 'Its id.' }),
    recipient: z.string().meta({ description: 'A recipient of age.' }),
    created_at: time,
    accepted_until: time.optional().meta({ description: 'Jobs created later fail.' }),
  })
  .meta({ id: 'MediaKey', description: 'A public key.' });

export const listMediaKeys = defineOperation({
  id: 'listMediaKeys',
  method: 'GET',
  path: '/api/v1/media-keys',
  tag: 'Uploads',
  summary: 'List keys to encrypt files to',
  description: 'Files may be encrypted to the first before they are sent, in the [age](https://age-encryption.org/v1) format, which is recognised.',
  access: 'public',
  params: noParams,
  query: noQuery,
  answers: { 200: { description: 'The keys.', schema: z.object({ data: z.array(mediaKey).meta({ description: 'Newest first.' }) }).meta({ id: 'MediaKeys', description: 'Keys.' }) } },
  problems: ['unknown_field', 'not_supported', 'rate_limited'],
});
