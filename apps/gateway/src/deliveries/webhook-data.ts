import { BATCH_COMPLETED, ENDPOINT_DISABLED, ENDPOINT_TEST, WEBHOOK_TYPES } from '@parlance/contracts';
import { z } from 'zod';
import { batchId, jobId, languageTag, metadataPairs, openEnum, projectId, time } from '../http/schema.js';
import { failureSchema, jobStatus, stageName, transcriptSchema, warningSchema } from '../transcriptions/job-schema.js';
import { disabledReason, endpointId } from './webhook-schema.js';

const omission = openEnum(z.enum(['too_large', 'not_available']).meta({ id: 'ContentOmission', description: 'Why a webhook lacks a content: it has more than 512 kB, or there is none.' })).optional();
const address = z.string().optional();

/** Contents are in webhooks whose receiver has them in `include`, and not in lists of events. */
const contents = {
  transcript: transcriptSchema.optional().meta({ description: 'The transcript as it was when the webhook was sent, without words.' }),
  transcript_omitted: omission.meta({ description: 'Why the transcript is not there.' }),
  transcript_url: address.meta({ description: 'The path of the transcript, when it was omitted.' }),
  summary: z
    .object({
      summary_id: z.string().meta({ description: 'The id of the summary.' }),
      format: z.string().meta({ description: 'The format of the summary.', example: 'brief' }),
      language: languageTag,
      text: z.string().meta({ description: 'The text in Markdown.' }),
    })
    .optional()
    .meta({ id: 'WebhookSummary', description: 'A summary as it was when the webhook was sent, without items.' }),
  summary_omitted: omission.meta({ description: 'Why the summary is not there.' }),
  summary_url: address.meta({ description: 'The path of the summary, when it was omitted.' }),
  sealed_result: z.string().optional().meta({ description: 'The JWE of a completed sealed job, up to 512 kB.' }),
};

export const jobData = z
  .object({
    job_id: jobId,
    status: openEnum(jobStatus).meta({ description: 'The state of the job when the event happened.' }),
    sequence: z.int().min(1).meta({ description: 'Numbers the events of the job from 1. Webhooks may arrive in another order.', example: 3 }),
    metadata: metadataPairs,
    duration: z.number().optional().meta({ description: 'The duration of the media in seconds, once it is known.' }),
    stage: openEnum(stageName).optional().meta({ description: 'The stage that failed or completed, in `transcription.stage_failed` and `transcription.add_on_completed`.' }),
    project_id: projectId.optional().meta({ description: 'The project of the job.' }),
    sealed: z.literal(true).optional().meta({ description: 'True for a job with `result_key`.' }),
    revision: z.int().min(1).optional().meta({ description: 'The revision of the transcript, in `transcription.edited`.' }),
    summary_id: z.string().optional().meta({ description: 'The summary, in `summary.completed` and `summary.failed`.', example: 'sum_01k9z3v4n8' }),
    error: failureSchema.optional().meta({ description: 'The reason, when something failed.' }),
    warnings: z.array(warningSchema).optional().meta({ description: 'What the job did differently than requested, or could not do.' }),
    truncated: z.literal(true).optional().meta({ description: 'True when warnings or metadata were left out, because a webhook is smaller than 20 kB without contents.' }),
    ...contents,
  })
  .meta({ id: 'TranscriptionEventData', description: 'What happened. It contains no transcript text unless the receiver wants it by `include`; read it by `job_id`.' });

export const disabledData = z
  .object({
    endpoint_id: endpointId,
    url: z.string().meta({ description: 'The URL of the endpoint.' }),
    reason: openEnum(disabledReason).meta({ description: 'Why it was disabled.' }),
    failing_since: time.optional().meta({ description: 'No attempt has succeeded since this time.' }),
  })
  .meta({ id: 'EndpointDisabledData', description: 'The endpoint that was disabled.' });

const batchCounts = z
  .object({
    total: z.int().meta({ description: 'The number of items.' }),
    completed: z.int().meta({ description: 'Items whose jobs completed.' }),
    failed: z.int().meta({ description: 'Items whose jobs failed.' }),
    canceled: z.int().meta({ description: 'Canceled items.' }),
    refused: z.int().meta({ description: 'Items for which no job was created.' }),
    deleted: z.int().meta({ description: 'Items whose jobs were deleted.' }),
  })
  .meta({ id: 'BatchResult', description: 'How the items of a batch ended.' });

export const batchData = z
  .object({
    batch_id: batchId,
    status: z.string().meta({ description: '`completed`, or `canceled` when the batch was canceled before its end.', example: 'completed' }),
    counts: batchCounts,
    project_id: projectId.optional().meta({ description: 'The project of the batch.' }),
    created_at: time.meta({ description: 'When the batch was created.' }),
    completed_at: time.meta({ description: 'When its last item ended.' }),
  })
  .meta({ id: 'BatchEventData', description: 'A batch whose items have all ended. Read them by `batch_id`.' });

export const testData = z.object({ endpoint_id: endpointId }).meta({ id: 'EndpointTestData', description: 'The endpoint that is tested.' });

const common = {
  event_id: z.string().meta({ id: 'EventId', description: 'The `webhook-id` of its webhooks.', example: 'evt_01k9z3v4n8' }),
  timestamp: time.meta({ description: 'When the event happened.' }),
};

const jobEventType = z.enum(Object.values(WEBHOOK_TYPES)).meta({ id: 'TranscriptionEventType', description: 'A type of event about a job.', example: 'transcription.completed' });

/** The body of the webhooks about jobs. */
export const jobWebhook = z
  .object({ timestamp: common.timestamp, type: z.string().meta({ description: 'The name of the webhook.' }), data: jobData })
  .meta({ id: 'TranscriptionWebhook', description: 'What a webhook about a job says.' });

/** An event of the account, as its webhooks announce it. The type says which data it has. */
export const webhookEventSchema = z
  .discriminatedUnion('type', [
    z.object({ ...common, type: jobEventType, data: jobData }).meta({ id: 'TranscriptionEvent', description: 'Something happened to a job.' }),
    z
      .object({ ...common, type: z.literal(BATCH_COMPLETED).meta({ description: 'The type of the event.' }), data: batchData })
      .meta({ id: 'BatchEvent', description: 'A batch has ended.' }),
    z
      .object({ ...common, type: z.literal(ENDPOINT_DISABLED).meta({ description: 'The type of the event.' }), data: disabledData })
      .meta({ id: 'EndpointDisabledEvent', description: 'An endpoint of the account was disabled.' }),
    z
      .object({ ...common, type: z.literal(ENDPOINT_TEST).meta({ description: 'The type of the event.' }), data: testData })
      .meta({ id: 'EndpointTestEvent', description: 'The owner of an endpoint requested a test.' }),
  ])
  .meta({ id: 'WebhookEvent', description: 'An event of the account; `type` says which data it has.' });
