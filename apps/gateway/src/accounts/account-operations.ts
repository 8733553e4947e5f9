import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { idSchema, noParams, noQuery, seconds, time } from '../http/schema.js';

const bytes = z.int().nonnegative();

export const getAccount = defineOperation({
  id: 'getAccount',
  method: 'GET',
  path: '/api/v1/account',
  tag: 'Account',
  summary: 'Get the account of the API key',
  description: 'Returns the plan of the account, what is left of it, and the storage that is in use.',
  access: 'any_key',
  isForKeysOnly: true,
  params: noParams,
  query: noQuery,
  answers: {
    200: {
      description: 'The account.',
      schema: z
        .object({
          account_id: idSchema('acc', 'acc_01k9z3v4n8e7q2xw5t6r0ybhcd'),
          email: z.string().optional().meta({ description: 'The address that signed up.', example: 'ada@example.org' }),
          organization: z.string().optional().meta({ description: 'The organization that was named at sign-up.' }),
          plan: z.string().meta({ description: 'The plan of the account, one of those that the operator has defined.', example: 'free' }),
          free_seconds: seconds.meta({ description: 'Seconds of audio that the plan includes free of charge, once.' }),
          free_seconds_left: seconds.nullable().meta({ description: 'Free seconds that are left. null when the plan has none, or when running out of them has no effect.' }),
          storage_bytes_used: bytes.meta({ description: 'Bytes of media files that are stored for the account, a few seconds old at most.' }),
          storage_bytes_limit: bytes.nullable().meta({ description: 'The most bytes that may be stored at a time. null means no limit.' }),
          created_at: time,
        })
        .meta({ id: 'Account', description: 'An account with its limits.' }),
    },
  },
  problems: ['unknown_field'],
});
