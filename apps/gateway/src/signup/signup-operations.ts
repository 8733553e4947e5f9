import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { idSchema, noParams, noQuery, time } from '../http/schema.js';

const TAG = 'Account';
const signupId = idSchema('sgn', 'sgn_01k9z3v4n8');

const signedUp = z
  .object({
    account_id: idSchema('acc', 'acc_01k9z3v4n8'),
    api_key: z.string().meta({ description: 'Has every scope of the account. It is shown only once.', example: 'pl_01k9z3v4n8…' }),
    free_minutes: z.number().meta({ description: 'Minutes of audio that the account may transcribe free of charge, once.', example: 300 }),
  })
  .meta({ id: 'SignedUp', description: 'A new account, or a new key of one.' });

const BODY_PROBLEMS = ['unknown_field', 'malformed_json', 'unsupported_media_type', 'payload_too_large', 'request_timeout', 'rate_limited', 'signup_closed'] as const;

export const signUp = defineOperation({
  id: 'signUp',
  method: 'POST',
  path: '/api/v1/signup',
  tag: TAG,
  summary: 'Sign up',
  description:
    'The operator decides whether sign-up is open, requires a code sent by e-mail (202, then `verifySignup`) or is closed. The response is the same whether or not the address has an account.',
  access: 'public',
  // A caller that guesses the Idempotency-Key of another's request would get the API key of its answer.
  repeats: { by: 'never' },
  params: noParams,
  query: noQuery,
  body: {
    schema: z
      .strictObject({
        email: z.email().max(254).meta({ description: 'The address of the account.', example: 'ada@example.org' }),
        organization: z.string().trim().min(1).max(200).optional().meta({ description: 'The organization of the account.', example: 'Analytical Engines' }),
      })
      .meta({ id: 'NewSignup', description: 'An account to create.' }),
  },
  answers: {
    201: { description: 'The account with its first key.', schema: signedUp },
    202: {
      description: 'A code was sent to the address.',
      schema: z.object({ signup_id: signupId, expires_at: time.meta({ description: 'The code is valid until this time.' }) }).meta({ id: 'SignupStarted', description: 'A sign-up that waits for its code.' }),
    },
  },
  problems: [...BODY_PROBLEMS],
});

export const verifySignup = defineOperation({
  id: 'verifySignup',
  method: 'POST',
  path: '/api/v1/signup/verify',
  tag: TAG,
  summary: 'Sign up with the code from the e-mail',
  description: 'When the address already has an account, this returns another key for it.',
  access: 'public',
  // A caller that guesses the Idempotency-Key of another's request would get the API key of its answer.
  repeats: { by: 'never' },
  params: noParams,
  query: noQuery,
  body: {
    schema: z.strictObject({ signup_id: signupId, code: z.string().min(1).max(20).meta({ description: 'The code from the e-mail.', example: '1234 5678' }) }).meta({ id: 'SignupCode', description: 'The code that completes a sign-up.' }),
  },
  answers: { 201: { description: 'The account with a key.', schema: signedUp } },
  problems: [...BODY_PROBLEMS, 'code_invalid', 'mailbox_taken', 'account_disabled'],
});
