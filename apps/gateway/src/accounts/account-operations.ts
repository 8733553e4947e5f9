import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { erasureId, idSchema, noParams, noQuery, receiptFields, seconds, time } from '../http/schema.js';
import { legalHoldSchema } from '../holds/legal-hold-schema.js';

const bytes = z.int().nonnegative();

const deletionSchema = z
  .object({
    erasure_id: erasureId.meta({ description: 'Of the receipt. Keep it.' }),
    requested_at: time,
    due_at: time.meta({ description: 'When all is erased; until then `restoreAccount` withdraws it.' }),
  })
  .meta({ id: 'AccountDeletion', description: 'The requested deletion of the account.' });

const limitSchema = z
  .object({
    name: z.string().meta({ description: '`projects`, `vocabularies`, `tokens` (with those that expired in the last day), `unfinished_uploads`, `batch_bytes` (items without a job; a new batch that has no room removes ended batches, oldest first), `revision_bytes` (the changes of revisions; an edit that has no room removes the oldest changes of its transcript), `conversation_bytes`, or others later.', example: 'projects' }),
    used: z.int().nonnegative().meta({ description: 'What is stored: a number, or bytes of JSON.' }),
    limit: z.int().nonnegative().meta({ description: 'The maximum.' }),
  })
  .meta({ id: 'AccountLimit', description: 'A limit of what an account has stored.' });

const accountSchema = z
  .object({
    account_id: idSchema('acc', 'acc_01k9z3v4n8'),
    email: z.string().optional().meta({ description: 'The address that signed up.', example: 'ada@example.org' }),
    organization: z.string().optional().meta({ description: 'The organization that was named at sign-up.' }),
    plan: z.string().meta({ description: 'The plan of the account, one of those that the operator has defined.', example: 'free' }),
    free_seconds: seconds.meta({ description: 'Seconds of audio that the plan includes free of charge, once.' }),
    free_seconds_left: seconds.nullable().meta({ description: 'Free seconds that are left. null when the plan has none, or when running out of them has no effect.' }),
    storage_bytes_used: bytes.meta({ description: 'Bytes of media files that are stored for the account, a few seconds old at most.' }),
    storage_bytes_limit: bytes.nullable().meta({ description: 'The most bytes that may be stored at a time. null means no limit.' }),
    limits: z.array(limitSchema).meta({ description: 'Limits of what is stored beside media, the same for all accounts. One is left out while the service that has it does not answer.' }),
    created_at: time,
    deletion: deletionSchema.optional(),
    legal_hold: legalHoldSchema.optional(),
  })
  .meta({ id: 'Account', description: 'An account with its limits.' });

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
      schema: accountSchema,
    },
  },
  problems: ['unknown_field'],
});

export const deleteAccount = defineOperation({
  id: 'deleteAccount',
  method: 'DELETE',
  path: '/api/v1/account',
  tag: 'Account',
  summary: 'Delete the account with everything in it',
  description: 'Cancels what runs and refuses new work (`account_deletion_scheduled`); reads and exports are possible until all is erased.',
  access: 'keys',
  isForKeysOnly: true,
  params: noParams,
  query: noQuery,
  answers: { 202: { description: 'The account, with its `deletion`.', schema: accountSchema } },
  problems: ['unknown_field', 'legal_hold'],
});

export const restoreAccount = defineOperation({
  id: 'restoreAccount',
  method: 'POST',
  path: '/api/v1/account/restore',
  tag: 'Account',
  summary: 'Withdraw the deletion of the account',
  description: 'Canceled jobs stay canceled.',
  access: 'keys',
  isForKeysOnly: true,
  isOpenInDeletion: true,
  params: noParams,
  query: noQuery,
  answers: { 200: { description: 'The account.', schema: accountSchema } },
  problems: ['unknown_field', 'invalid_state'],
});

export const getAccountErasure = defineOperation({
  id: 'getAccountErasure',
  method: 'GET',
  path: '/api/v1/account-erasures/{erasure_id}',
  tag: 'Account',
  summary: 'Get the receipt of the erasure of an account',
  description: 'Without a key, once the erasure has begun.',
  access: 'public',
  params: z.object({ erasure_id: erasureId }),
  query: noQuery,
  answers: {
    200: {
      description: 'The receipt.',
      schema: z
        .object({
          ...receiptFields,
          account_id: z.string().meta({ description: 'The account.' }),
          kept: z.array(z.string()).meta({ description: 'What stays as evidence: ids, times and numbers.' }),
        })
        .meta({ id: 'AccountErasure', description: 'The receipt of an account.' }),
    },
  },
  problems: ['unknown_field', 'not_found'],
});
