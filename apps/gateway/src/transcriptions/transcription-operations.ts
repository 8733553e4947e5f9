import { z } from 'zod';
import { ETAG, IF_MATCH } from '../http/entity-tags.js';
import { defineOperation } from '../http/operation.js';
import { CREATED_AFTER, CREATED_BEFORE, batchId, booleanParameter, erasureId, integerParameter, jobParams, metadataParameter, noParams, noQuery, pageOf, pageQuery, projectId, receiptFields, timeParameter } from '../http/schema.js';
import { addOnOrderSchema, metadataKey, newTranscriptionSchema, transcriptionChangesSchema, uploadOptionsSchema } from './job-options-schema.js';
import { acceptedSchema, jobKind, jobSchema, jobStatus, jobSummarySchema, orderedJobSchema } from './job-schema.js';

const TAG = 'Transcriptions';
const PATH = '/api/v1/transcriptions';
const JOB_PATH = `${PATH}/{job_id}` as const;

/** The header of answers to repeated ones. */
export const REPLAYED = { 'Idempotency-Replayed': '`true` when this is the response of an earlier call.' };

export const createTranscription = defineOperation({
  id: 'createTranscription',
  method: 'POST',
  path: PATH,
  tag: TAG,
  summary: 'Create a transcription job',
  description:
    'Send an `audio_url`, the `upload_id` of an uploaded file, or `multipart/form-data` with a part `file` and the other fields as text (objects and lists as JSON; ' +
    '`metadata[key]` and a repeated `vocabulary` are also accepted).',
  access: 'transcriptions:write',
  isWithinProject: true,
  params: noParams,
  query: noQuery,
  headers: { 'Idempotency-Key': 'At most 255 visible characters, kept for 24 hours. Calls with the same key and body create one job and get the first response again, or `invalid_state` once that job was deleted.' },
  repeats: { by: 'itself' },
  body: { schema: newTranscriptionSchema, form: uploadOptionsSchema },
  answers: {
    202: {
      description: 'The job was accepted.',
      schema: acceptedSchema,
      headers: { Location: 'The job.', ...REPLAYED },
    },
  },
  problems: [
    'address_forbidden', 'invalid_url', 'language_unsupported', 'result_key_unsupported', 'model_unknown', 'not_supported', 'unknown_field', 'idempotency_in_flight',
    'idempotency_mismatch', 'invalid_state', 'storage_quota_exhausted', 'payload_too_large', 'media_too_large', 'media_empty', 'upload_not_found', 'upload_incomplete', 'unsupported_media_type', 'malformed_json', 'malformed_request',
    'request_timeout', 'storage_full', 'quota_exhausted', 'key_budget_exhausted', 'too_many_jobs',
  ],
});

export const getTranscription = defineOperation({
  id: 'getTranscription',
  method: 'GET',
  path: JOB_PATH,
  tag: TAG,
  summary: 'Get a transcription job',
  access: 'transcriptions:read',
  params: jobParams,
  isForSealed: true,
  query: z.strictObject({
    wait: integerParameter(1, 60).optional().meta({ description: 'Seconds for which the server may hold the response, by default until the status changes. With `If-None-Match` it responds at once when the ETag differs.' }),
    wait_for: z.enum(['transcript', 'terminal', 'change']).optional().meta({ description: 'What `wait` waits for. `transcript`: the transcript can be read. `terminal`: the job and all of its stages have ended. `change`: any change of the job, since the ETag in `If-None-Match` if there is one. A job that has ended is returned at once.' }),
    include: z.enum(['words', 'none']).optional().meta({ description: '`words` adds words with times; `none` leaves the transcript out.' }),
  }),
  headers: { 'If-None-Match': 'An ETag. The answer is 304 while the job is unchanged.' },
  answers: {
    200: { description: 'The job.', schema: jobSchema, headers: { ETag: 'The ETag of this state of the job.' } },
    304: { description: 'The job is unchanged.' },
  },
  problems: ['unknown_field', 'not_found', 'too_many_streams'],
});

const statusList = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(jobStatus).min(1).max(10));

export const listTranscriptions = defineOperation({
  id: 'listTranscriptions',
  method: 'GET',
  path: PATH,
  tag: TAG,
  summary: 'List transcription jobs',
  access: 'transcriptions:read',
  isWithinProject: true,
  params: noParams,
  query: z.strictObject({
    ...pageQuery,
    status: jobStatus.optional().meta({ description: 'Lists jobs in this state.' }),
    statuses: statusList.optional().meta({ description: 'Lists jobs in any of these states, separated by commas: `failed,canceled`.', param: { style: 'form', explode: false }, override: { type: 'array', items: { $ref: '#/components/schemas/JobStatus' } } }),
    order: z.enum(['asc', 'desc']).default('desc').meta({ description: 'By the time of creation: `asc` lists the oldest first, `desc` the newest.' }),
    created_after: timeParameter().optional().meta({ description: CREATED_AFTER }),
    created_before: timeParameter().optional().meta({ description: CREATED_BEFORE }),
    q: z.string().max(200).regex(/[\p{L}\p{N}]/u, 'This must contain a letter or a digit.').optional().meta({ description: 'Lists jobs whose title or file name has, for each word of this text, a word that begins with it; case and accents do not matter.', example: 'budget nov', override: { pattern: undefined } }),
    kind: jobKind.optional().meta({ description: 'Lists jobs of this kind.' }),
    batch_id: batchId.optional().meta({ description: 'Lists the jobs of this batch.' }),
    project_id: projectId.optional().meta({ description: 'Lists the jobs of this project.' }),
    metadata: metadataParameter(metadataKey),
  }),
  answers: { 200: { description: 'One page.', schema: pageOf(jobSummarySchema) } },
  problems: ['unknown_field', 'invalid_cursor'],
});

export const updateTranscription = defineOperation({
  id: 'updateTranscription',
  method: 'PATCH',
  path: JOB_PATH,
  tag: TAG,
  summary: 'Change the title, metadata, retention or callback URL of a job',
  description: 'At any time. Search knows new metadata of a completed job after its stage `search` has run again.',
  access: ['transcriptions:write', 'transcriptions:read'],
  params: jobParams,
  isForSealed: true,
  query: noQuery,
  body: { schema: transcriptionChangesSchema },
  headers: IF_MATCH,
  answers: { 200: { description: 'The job after the change, without its transcript.', schema: jobSchema, headers: ETAG } },
  problems: ['unknown_field', 'not_found', 'address_forbidden', 'invalid_url', 'precondition_failed', 'malformed_json', 'unsupported_media_type'],
});

export const cancelTranscription = defineOperation({
  id: 'cancelTranscription',
  method: 'POST',
  path: `${JOB_PATH}/cancel`,
  tag: TAG,
  summary: 'Cancel a job',
  description: 'Stops the work that is in progress. A job that was canceled already is returned as it is.',
  access: 'transcriptions:write',
  isOpenInDeletion: true,
  params: jobParams,
  isForSealed: true,
  query: noQuery,
  answers: { 202: { description: 'The canceled job.', schema: jobSummarySchema } },
  problems: ['unknown_field', 'not_found', 'invalid_state'],
});

export const orderAddOns = defineOperation({
  id: 'orderAddOns',
  method: 'POST',
  path: `${JOB_PATH}/add-ons`,
  tag: TAG,
  summary: 'Order add-ons of a completed job',
  description: 'Makes what the job lacks, or has of an earlier revision, from its transcript, and detects speakers in its media while that is kept; nothing is transcribed or billed again. The job stays `completed`. The event `transcription.add_on_completed` or `transcription.stage_failed` announces the end.',
  access: 'transcriptions:write',
  params: jobParams,
  query: noQuery,
  body: { schema: addOnOrderSchema },
  answers: { 202: { description: 'The job, whose stages run.', schema: orderedJobSchema } },
  problems: ['unknown_field', 'not_found', 'invalid_state', 'media_removed', 'malformed_json', 'unsupported_media_type'],
});

export const retryTranscription = defineOperation({
  id: 'retryTranscription',
  method: 'POST',
  path: `${JOB_PATH}/retry`,
  tag: TAG,
  summary: 'Retry a failed job, or the failed add-on stages of a completed job',
  description: 'Only the missing work is done again. A job that would fail again, as its media is unusable or its address forbidden, is refused with the reason `failure_is_final`, unless `force` is true.',
  access: 'transcriptions:write',
  params: jobParams,
  query: z.strictObject({ force: booleanParameter().default(false).meta({ description: 'When true, also retries a job that would most likely fail again.', override: { type: 'boolean', enum: undefined, default: false } }) }),
  answers: { 202: { description: 'The job, which is processed again.', schema: jobSummarySchema } },
  problems: ['unknown_field', 'not_found', 'invalid_state', 'media_removed', 'quota_exhausted', 'too_many_jobs'],
});

export const deleteTranscription = defineOperation({
  id: 'deleteTranscription',
  method: 'DELETE',
  path: JOB_PATH,
  tag: TAG,
  summary: 'Delete a job and all of its data',
  description: 'Cancels the job if needed. From then on it is not found, and its data is erased in the background. A repeated call returns the same erasure. Its id is the id of the job with `era_` instead of `job_`.',
  access: 'transcriptions:write',
  params: jobParams,
  isForSealed: true,
  query: noQuery,
  answers: { 202: { description: 'The erasure; its receipt can be read.', schema: z.object({ erasure_id: erasureId }).meta({ id: 'AcceptedErasure', description: 'An erasure that was begun.' }) } },
  problems: ['unknown_field', 'not_found', 'legal_hold'],
});

const erasureSchema = z
  .object({ ...receiptFields, job_id: z.string().meta({ description: 'The job that is erased.', example: 'job_01k9z3v4n8' }) })
  .meta({ id: 'Erasure', description: 'The receipt of an erasure.' });

export const getErasure = defineOperation({
  id: 'getErasure',
  method: 'GET',
  path: '/api/v1/erasures/{erasure_id}',
  tag: TAG,
  summary: 'Get the receipt of an erasure',
  access: 'transcriptions:read',
  isWithinProject: true,
  params: z.object({ erasure_id: erasureId }),
  query: noQuery,
  answers: {
    200: {
      description: 'What was erased, where and when.',
      schema: erasureSchema,
    },
  },
  problems: ['unknown_field', 'not_found'],
});

export const listErasures = defineOperation({
  id: 'listErasures',
  method: 'GET',
  path: '/api/v1/erasures',
  tag: TAG,
  summary: 'List the erasures of the account, newest first',
  access: 'transcriptions:read',
  isWithinProject: true,
  params: noParams,
  query: z.strictObject(pageQuery),
  answers: { 200: { description: 'One page of receipts.', schema: pageOf(erasureSchema) } },
  problems: ['unknown_field', 'invalid_cursor'],
});
