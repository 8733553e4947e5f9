import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { CREATED_AFTER, CREATED_BEFORE, jobParams, noParams, noQuery, pageOf, pageQuery, timeParameter } from '../http/schema.js';
import { url } from '../transcriptions/job-options-schema.js';
import { deliveryId, deliverySchema, revokePrevious, secretSchema } from './webhook-schema.js';

const TAG = 'Webhooks';

const receiverUrl = url.optional().meta({
  description: 'A `callback_url`. All callback URLs of its origin (scheme, host and port) share the secret.',
  format: 'uri',
  example: 'https://example.org/hook',
});

export const listDeliveries = defineOperation({
  id: 'listDeliveries',
  method: 'GET',
  path: '/api/v1/transcriptions/{job_id}/deliveries',
  tag: TAG,
  summary: 'List the webhook deliveries of a job, newest first',
  access: 'webhooks',
  params: jobParams,
  isForSealed: true,
  query: z.strictObject(pageQuery),
  answers: { 200: { description: 'Deliveries with their attempts.', schema: pageOf(deliverySchema) } },
  problems: ['unknown_field', 'not_found', 'invalid_cursor'],
});

export const listAccountDeliveries = defineOperation({
  id: 'listAccountDeliveries',
  method: 'GET',
  path: '/api/v1/deliveries',
  tag: TAG,
  summary: 'List the webhook deliveries of the account, newest first',
  access: 'webhooks',
  params: noParams,
  query: z.strictObject({
    ...pageQuery,
    status: z.enum(['pending', 'delivered', 'failed']).optional().meta({ description: 'Lists deliveries in this state.' }),
    created_after: timeParameter().optional().meta({ description: CREATED_AFTER }),
    created_before: timeParameter().optional().meta({ description: CREATED_BEFORE }),
  }),
  answers: { 200: { description: 'Deliveries with their attempts.', schema: pageOf(deliverySchema) } },
  problems: ['unknown_field', 'invalid_cursor'],
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
  description: 'Sends the webhook at once, with the same `webhook-id`, to the current URL of its endpoint, even when it is disabled. If this fails, the whole retry schedule follows, unless the endpoint is disabled.',
  access: 'webhooks',
  params: z.object({ delivery_id: deliveryId }),
  query: noQuery,
  answers: { 202: { description: 'The delivery, which is sent again now.', schema: deliverySchema } },
  problems: ['unknown_field', 'not_found', 'invalid_state'],
});

export const getWebhookSecret = defineOperation({
  id: 'getWebhookSecret',
  method: 'GET',
  path: '/api/v1/webhook-secret',
  tag: TAG,
  summary: 'Get the secret that signs webhooks to callback URLs',
  description: 'The account’s secret, which signs for every `callback_url` whose origin has none of its own. With `url`, the secret that signs for this one.',
  access: 'webhooks',
  isForKeysOnly: true,
  params: noParams,
  query: z.strictObject({ url: receiverUrl }),
  answers: { 200: { description: 'The secret.', schema: secretSchema } },
  problems: ['unknown_field', 'invalid_url'],
});

export const rotateWebhookSecret = defineOperation({
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/api/v1/webhook-secret/rotate',
  tag: TAG,
  summary: 'Replace the signing secret',
  description: 'For 24 hours, webhooks carry a signature with each of the two secrets; after several rotations, with the five newest. With `revoke_previous`, only the new secret signs within a second. With `url`, the origin of this `callback_url` gets a secret of its own, or a new one.',
  access: 'webhooks',
  isForKeysOnly: true,
  repeats: { by: 'kept', secret: true },
  params: noParams,
  query: noQuery,
  body: {
    schema: z
      .strictObject({ revoke_previous: revokePrevious, url: receiverUrl })
      .meta({ id: 'WebhookSecretRotation', description: 'Which secret to replace.' }),
    optional: true,
  },
  answers: { 201: { description: 'The new secret.', schema: secretSchema } },
  problems: ['unknown_field', 'malformed_json', 'unsupported_media_type', 'payload_too_large', 'invalid_url', 'too_many_origins'],
});
