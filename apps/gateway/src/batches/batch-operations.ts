import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { batchId, noParams, noQuery, pageOf, pageQuery } from '../http/schema.js';
import { batchEnvelopeSchema, batchItemSchema, batchSchema, itemStatus, newBatchSchema } from './batch-schema.js';

const TAG = 'Batches';
const PATH = '/api/v1/batches';
const BATCH_PATH = `${PATH}/{batch_id}` as const;

/** A body of a thousand items, which share their options. */
const BODY_SCALE = 8;

const batchParams = z.object({ batch_id: batchId });

export const createBatch = defineOperation({
  id: 'createBatch',
  method: 'POST',
  path: PATH,
  tag: TAG,
  summary: 'Create many transcription jobs',
  description: 'The jobs are created in the background, as the account has room for them. An item that is refused has an error of its own and does not affect the others.',
  access: 'transcriptions:write',
  isWithinProject: true,
  params: noParams,
  query: noQuery,
  body: { schema: newBatchSchema, envelope: batchEnvelopeSchema, scale: BODY_SCALE },
  answers: { 202: { description: 'The batch was accepted.', schema: batchSchema, headers: { Location: 'The batch.' } } },
  problems: ['unknown_field', 'address_forbidden', 'invalid_url', 'payload_too_large', 'unsupported_media_type', 'malformed_json', 'request_timeout', 'invalid_state'],
});

export const listBatches = defineOperation({
  id: 'listBatches',
  method: 'GET',
  path: PATH,
  tag: TAG,
  summary: 'List batches, newest first',
  access: 'transcriptions:read',
  isWithinProject: true,
  params: noParams,
  query: z.strictObject(pageQuery),
  answers: { 200: { description: 'One page.', schema: pageOf(batchSchema) } },
  problems: ['unknown_field', 'invalid_cursor'],
});

export const getBatch = defineOperation({
  id: 'getBatch',
  method: 'GET',
  path: BATCH_PATH,
  tag: TAG,
  summary: 'Get a batch and its progress',
  access: 'transcriptions:read',
  params: batchParams,
  query: noQuery,
  answers: { 200: { description: 'The batch.', schema: batchSchema } },
  problems: ['unknown_field', 'not_found'],
});

export const listBatchItems = defineOperation({
  id: 'listBatchItems',
  method: 'GET',
  path: `${BATCH_PATH}/items`,
  tag: TAG,
  summary: 'List the items of a batch, in the order of the request',
  access: 'transcriptions:read',
  params: batchParams,
  query: z.strictObject({ ...pageQuery, status: itemStatus.optional().meta({ description: 'Lists items with this status.' }) }),
  answers: { 200: { description: 'One page.', schema: pageOf(batchItemSchema) } },
  problems: ['unknown_field', 'not_found', 'invalid_cursor'],
});

export const cancelBatch = defineOperation({
  id: 'cancelBatch',
  method: 'POST',
  path: `${BATCH_PATH}/cancel`,
  tag: TAG,
  summary: 'Cancel a batch',
  description: 'Creates no further jobs, and cancels those that have not ended. A batch that has ended is returned as it is.',
  access: 'transcriptions:write',
  isOpenInDeletion: true,
  params: batchParams,
  query: noQuery,
  answers: { 202: { description: 'The batch.', schema: batchSchema } },
  problems: ['unknown_field', 'not_found'],
});
