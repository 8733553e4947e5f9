import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { jobParams, noParams, noQuery, pageOf, pageQuery, time } from '../http/schema.js';
import { deliveryId, deliverySchema, webhookEventSchema } from './webhook-schema.js';

const TAG = 'Webhooks';

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

export const getDelivery = defineOperation({
  id: 'getDelivery',
  method: 'GET',
  path: '/api/v1/deliveries/{delivery_id}',
  tag: TAG,
  summary: 'Get a webhook delivery',
  access: 'webhooks',
  params: z.object({ delivery_id: deliveryId }),
  query: noQuery,
  answers: { 200: { description: 'The delivery with its attempts.', schema: deliverySchema } },
  problems: ['unknown_field', 'not_found'],
});

export const redeliver = defineOperation({
  id: 'redeliver',
  method: 'POST',
  path: '/api/v1/deliveries/{delivery_id}/redeliver',
  tag: TAG,
  summary: 'Deliver a webhook again',
  description: 'At once, under the same `webhook-id`, to the present address of its endpoint, also when that is disabled; and then by the whole schedule, unless it is disabled still.',
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

export const listEvents = defineOperation({
  id: 'listEvents',
  method: 'GET',
  path: '/api/v1/events',
  tag: TAG,
  summary: 'Replay the events of the account, oldest first',
  description:
    'Everything that was announced, whether a webhook of it arrived or not, in one order that never changes: keep `next_cursor` and ask again with it ' +
    'to read on. Events are kept for 30 days (unless the operator sets another time; `retained_since` says it), those of an erased job until its erasure.',
  access: 'webhooks',
  params: noParams,
  query: z.strictObject({
    after: z.string().min(1).max(1024).optional().meta({ description: '`next_cursor` of an earlier answer, or the id of an event (`webhook-id`). Without it: from the oldest.' }),
    limit: pageQuery.limit,
  }),
  answers: {
    200: {
      description: 'One page.',
      schema: z
        .object({
          data: z.array(webhookEventSchema),
          next_cursor: z.string().meta({ description: 'Always there: what comes later is after it.' }),
          has_more: z.boolean().meta({ description: 'Whether there is more by now.' }),
          retained_since: time.meta({ description: 'Events of before may be gone.' }),
        })
        .meta({ id: 'WebhookEventPage' }),
    },
  },
  problems: ['unknown_field', 'invalid_cursor'],
});
