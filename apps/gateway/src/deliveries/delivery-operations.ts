import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { idSchema, jobParams, noParams, noQuery, pageOf, pageQuery, time } from '../http/schema.js';

const TAG = 'Webhooks';

const deliveryId = idSchema('dlv', 'dlv_01k9z3v4n8e7q2xw5t6r0ybhcd');

const deliverySchema = z
  .object({
    delivery_id: deliveryId,
    event_id: z.string().meta({ description: 'The `webhook-id`, the same on every try.' }),
    event_type: z.string().meta({ example: 'transcription.completed' }),
    url: z.string(),
    status: z.enum(['pending', 'delivered', 'failed']),
    next_attempt_at: time.optional(),
    attempts: z.array(
      z.object({
        attempted_at: time,
        status_code: z.int().optional(),
        error: z.string().optional(),
        latency_ms: z.number(),
        response_body: z.string().meta({ description: 'Its first kilobyte.' }),
      }),
    ),
  })
  .meta({ id: 'Delivery' });

const secretSchema = z
  .object({
    secret: z.string().meta({ example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' }),
    previous_expires_at: time.optional().meta({ description: 'Until then the secret before signs as well.' }),
  })
  .meta({ id: 'WebhookSecret' });

export const listDeliveries = defineOperation({
  id: 'listDeliveries',
  method: 'GET',
  path: '/api/v1/transcriptions/{job_id}/deliveries',
  tag: TAG,
  summary: 'List the webhook deliveries of a job, newest first',
  access: 'webhooks',
  params: jobParams,
  query: z.strictObject(pageQuery),
  answers: { 200: { description: 'One page, each with its attempts.', schema: pageOf(deliverySchema) } },
  problems: ['unknown_field', 'not_found', 'invalid_cursor'],
});

export const redeliver = defineOperation({
  id: 'redeliver',
  method: 'POST',
  path: '/api/v1/deliveries/{delivery_id}/redeliver',
  tag: TAG,
  summary: 'Deliver a webhook again',
  access: 'webhooks',
  params: z.object({ delivery_id: deliveryId }),
  query: noQuery,
  answers: { 202: { description: 'The delivery, to be tried again now.', schema: deliverySchema } },
  problems: ['unknown_field', 'not_found', 'invalid_state'],
});

export const getWebhookSecret = defineOperation({
  id: 'getWebhookSecret',
  method: 'GET',
  path: '/api/v1/webhook-secret',
  tag: TAG,
  summary: 'Get the secret that signs the account’s webhooks',
  access: 'webhooks',
  params: noParams,
  query: noQuery,
  answers: { 200: { description: 'The secret.', schema: secretSchema } },
  problems: ['unknown_field'],
});

export const rotateWebhookSecret = defineOperation({
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/api/v1/webhook-secret/rotate',
  tag: TAG,
  summary: 'Replace the signing secret',
  description: 'For 24 hours webhooks carry a signature of either.',
  access: 'webhooks',
  params: noParams,
  query: noQuery,
  answers: { 201: { description: 'The new secret.', schema: secretSchema } },
  problems: ['unknown_field'],
});
