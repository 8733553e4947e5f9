import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { jobId, noParams, noQuery, timeOfAnyOffset } from '../http/schema.js';
import { legalHoldSchema } from './legal-hold-schema.js';

const PATH = '/api/v1/legal-hold';
const TAG = 'Account';
const onJob = jobId.optional().meta({ description: 'Default: the account.' });

export const setLegalHold = defineOperation({
  id: 'setLegalHold',
  method: 'POST',
  path: PATH,
  tag: TAG,
  summary: 'Put the account, or a job, under a legal hold',
  description: 'In place of a hold before. Deletions are refused with `legal_hold`.',
  access: 'keys',
  isForKeysOnly: true,
  isOpenInDeletion: true,
  params: noParams,
  query: noQuery,
  body: {
    schema: z
      .strictObject({
        job_id: onJob,
        reason: z.string().trim().min(1).max(500).meta({ description: 'Why.' }),
        until: timeOfAnyOffset().optional().meta({ description: 'Its end.', override: { pattern: undefined } }),
      })
      .meta({ id: 'NewLegalHold', description: 'A legal hold.' }),
  },
  answers: { 200: { description: 'The hold.', schema: legalHoldSchema } },
  problems: ['unknown_field', 'not_found', 'legal_hold', 'malformed_json', 'unsupported_media_type'],
});

export const liftLegalHold = defineOperation({
  id: 'liftLegalHold',
  method: 'DELETE',
  path: PATH,
  tag: TAG,
  summary: 'Lift a legal hold',
  access: 'keys',
  isForKeysOnly: true,
  params: noParams,
  query: z.strictObject({ job_id: onJob }),
  answers: { 204: { description: 'There is no hold any more.' } },
  problems: ['unknown_field', 'not_found', 'legal_hold'],
});
