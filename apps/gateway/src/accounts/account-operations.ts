import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { idSchema, noParams, noQuery, seconds, time } from '../http/schema.js';

export const getAccount = defineOperation({
  id: 'getAccount',
  method: 'GET',
  path: '/api/v1/account',
  tag: 'Account',
  summary: 'Get the account of the key',
  access: 'any_key',
  params: noParams,
  query: noQuery,
  answers: {
    200: {
      description: 'The account.',
      schema: z
        .object({
          account_id: idSchema('acc', 'acc_01k9z3v4n8e7q2xw5t6r0ybhcd'),
          email: z.string().optional(),
          organization: z.string().optional(),
          plan: z.string().meta({ description: 'By the operator’s settings.', example: 'free' }),
          free_seconds: seconds.meta({ description: 'Seconds of audio that the plan gives for nothing, once.' }),
          free_seconds_left: seconds.nullable().meta({ description: 'Those not used, by what was billed so far. null where the plan has none and nothing ends with them, as `unlimited`.' }),
          created_at: time,
        })
        .meta({ id: 'Account' }),
    },
  },
  problems: ['unknown_field'],
});
