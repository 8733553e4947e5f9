import { BATCH_COMPLETED, ENDPOINT_DISABLED, ENDPOINT_TEST, WEBHOOK_HEADINGS } from '@parlance/contracts';
import { z } from 'zod';
import type { ZodOpenApiPathsObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { batchData, disabledData, jobData, jobWebhook, testData } from '../deliveries/webhook-data.js';
import { time } from '../http/schema.js';
import { NAME } from './shared-parts.js';

const ENDPOINT = 'whe_01k9z3v4n8';
const BATCH = {
  batch_id: 'bat_01k9z3v4n8',
  status: 'completed',
  counts: { total: 1000, completed: 996, failed: 1, canceled: 0, refused: 3, deleted: 0 },
  created_at: '2026-03-01T09:00:00.000Z',
  completed_at: '2026-03-01T09:30:00.000Z',
};
const ERROR = { code: 'engine_failed', message: 'The engine did not respond.', retryable: true };

const HEADERS = z.object({
  'webhook-id': z.string().meta({ description: 'The id of the event, which is the same for every attempt.', example: 'evt_01k9z3v4n8' }),
  'webhook-timestamp': z.string().meta({ description: 'The time of the attempt, in seconds since 1970.', example: '1795305809' }),
  'webhook-signature': z.string().meta({ description: 'One `v1,<base64 HMAC-SHA256>` by Standard Webhooks for each secret that signs, separated by spaces.', example: 'v1,71WZsDS6zHKIm7zGRALTO4YKMmySF+V+gCFrEqwRk8w=' }),
});

const TYPES = Object.keys(WEBHOOK_HEADINGS);

const OTHER_DATA: Readonly<Record<string, z.ZodType>> = { [BATCH_COMPLETED]: batchData, [ENDPOINT_DISABLED]: disabledData, [ENDPOINT_TEST]: testData };

const dataOf = (type: string) => OTHER_DATA[type] ?? jobData;

export const webhookSchema = (type: string) => z.object({ type: z.literal(type), timestamp: time, data: dataOf(type) });

/** Webhooks about jobs have one body, which differs in its `type` alone. */
const bodyOf = (type: string) => (type in OTHER_DATA ? webhookSchema(type) : jobWebhook);

/** The answers of a receiver. */
const RESPONSES: ZodOpenApiResponsesObject = {
  '200': { [NAME]: 'WebhookAccepted', description: 'Accepted, as by any 2xx status within 15 seconds. Any other answer, redirects included, is retried.' },
  '410': { [NAME]: 'WebhookGone', description: 'No more webhooks are sent to the endpoint, or of the job to its callback URL.' },
};

/** The webhooks with an example: one with each sort of data. */
const SHOWN: ReadonlySet<string> = new Set(['transcription.completed', 'transcription.stage_failed', BATCH_COMPLETED, ENDPOINT_DISABLED]);

/** The webhooks that receivers get, by event type. */
export const WEBHOOKS: ZodOpenApiPathsObject = Object.fromEntries(TYPES.map((type) => [type, { post: webhook(type) }]));

function webhook(type: string): NonNullable<ZodOpenApiPathsObject[string]['post']> {
  return {
    operationId: `on_${type.replace('.', '_')}`,
    tags: ['Webhooks'],
    summary: WEBHOOK_HEADINGS[type] ?? type,
    security: [],
    requestParams: { header: HEADERS },
    requestBody: { required: true, content: { 'application/json': { schema: bodyOf(type), ...(SHOWN.has(type) && { example: { type, timestamp: '2026-03-01T09:30:00.000Z', data: exampleData(type) } }) } } },
    responses: RESPONSES,
  };
}

function exampleData(type: string): object {
  if (type === ENDPOINT_TEST) return { endpoint_id: ENDPOINT };
  if (type === ENDPOINT_DISABLED) return { endpoint_id: ENDPOINT, url: 'https://example.org/hook', reason: 'gone' };
  if (type === BATCH_COMPLETED) return BATCH;
  const isSummary = type.startsWith('summary.');
  const isEdit = type === 'transcription.edited';
  const status = isSummary || isEdit ? 'completed' : (/\.(completed|failed|canceled)$/.exec(type)?.[1] ?? 'processing');
  const more = { ...(isSummary && { summary_id: 'sum_01k9z3v4n8' }), ...(isEdit && { revision: 1 }) };
  const job = { job_id: 'job_01k9z3v4n8', status, sequence: 3, metadata: { project: 'apollo' }, ...more };
  if (type === 'transcription.stage_failed') return { ...job, stage: 'summary', error: ERROR };
  return type.endsWith('.failed') ? { ...job, error: ERROR } : job;
}
