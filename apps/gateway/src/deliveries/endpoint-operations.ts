import { z } from 'zod';
import { ETAG, IF_MATCH } from '../http/entity-tags.js';
import { defineOperation, type Operation } from '../http/operation.js';
import { noParams, noQuery, pageOf, pageQuery } from '../http/schema.js';
import { url } from '../transcriptions/job-options-schema.js';
import { webhookHeaders } from './webhook-headers.js';
import { include } from './webhook-include.js';
import { createdEndpointSchema, deliverySchema, endpointId, endpointSchema, eventTypeSchema, revokePrevious, secretSchema } from './webhook-schema.js';

const TAG = 'Webhooks';
const PATH = '/api/v1/webhook-endpoints';
const BODY_PROBLEMS = ['unknown_field', 'malformed_json', 'unsupported_media_type', 'payload_too_large', 'invalid_url', 'address_forbidden'] as const;

const endpointParams = z.object({ endpoint_id: endpointId });

const endpointUrl = url.meta({ description: 'http(s), public.', format: 'uri', example: 'https://example.org/hooks/parlance' });
const eventTypes = z.array(eventTypeSchema).min(1).max(20).meta({ description: 'The types of events to receive.' });
const enabled = z.boolean().meta({ description: 'Whether webhooks are sent.' });

export const listEndpoints = defineOperation({
  id: 'listWebhookEndpoints',
  method: 'GET',
  path: PATH,
  tag: TAG,
  summary: 'List the webhook endpoints, newest first',
  access: 'webhooks',
  params: noParams,
  query: z.strictObject(pageQuery),
  answers: { 200: { description: 'One page.', schema: pageOf(endpointSchema) } },
  problems: ['unknown_field', 'invalid_cursor'],
});

export const createEndpoint = defineOperation({
  id: 'createWebhookEndpoint',
  method: 'POST',
  path: PATH,
  tag: TAG,
  summary: 'Create a webhook endpoint for the events of all jobs',
  description: 'Webhooks to this endpoint are signed with its own `secret`. A URL that is also a job’s `callback_url` gets each event once, signed with both secrets. An endpoint that answers 410, or fails every attempt for five days, is disabled, and the others receive `webhook_endpoint.disabled`. `include` needs `transcriptions:read` too.',
  access: 'webhooks',
  isForKeysOnly: true,
  repeats: { by: 'kept', secret: true },
  params: noParams,
  query: noQuery,
  body: {
    schema: z
      .strictObject({
        url: endpointUrl,
        event_types: eventTypes.optional().meta({ description: 'Default: all.' }),
        enabled: enabled.default(true).meta({ description: 'Whether webhooks are sent.' }),
        headers: webhookHeaders.optional(),
        include: include.optional(),
      })
      .meta({ id: 'NewWebhookEndpoint', description: 'An endpoint to create.' }),
  },
  answers: { 201: { description: 'The endpoint with its secret.', schema: createdEndpointSchema, headers: { Location: 'The endpoint.' } } },
  problems: [...BODY_PROBLEMS, 'too_many_endpoints'],
});

export const getEndpoint = defineOperation({
  id: 'getWebhookEndpoint',
  method: 'GET',
  path: `${PATH}/{endpoint_id}`,
  tag: TAG,
  summary: 'Get a webhook endpoint',
  access: 'webhooks',
  params: endpointParams,
  query: noQuery,
  answers: { 200: { description: 'The endpoint.', schema: endpointSchema } },
  problems: ['unknown_field', 'not_found'],
});

export const updateEndpoint = defineOperation({
  id: 'updateWebhookEndpoint',
  method: 'PATCH',
  path: `${PATH}/{endpoint_id}`,
  tag: TAG,
  summary: 'Change a webhook endpoint',
  description: '`enabled: true` enables a disabled endpoint again. `GET /events` and `redeliver` return the events that it missed. `include`, and a new URL with it, need `transcriptions:read` too.',
  access: 'webhooks',
  isForKeysOnly: true,
  params: endpointParams,
  query: noQuery,
  body: {
    schema: z
      .strictObject({ url: endpointUrl.optional(), event_types: eventTypes.optional(), enabled: enabled.optional(), headers: webhookHeaders.optional(), include: include.optional() })
      .refine((changes) => Object.keys(changes).length > 0, 'The request changes nothing.')
      .meta({ id: 'WebhookEndpointChanges', description: 'What changes of an endpoint; the rest stays.' }),
  },
  headers: IF_MATCH,
  answers: { 200: { description: 'The endpoint after the change.', schema: endpointSchema, headers: ETAG } },
  problems: [...BODY_PROBLEMS, 'not_found', 'precondition_failed'],
});

export const deleteEndpoint = defineOperation({
  id: 'deleteWebhookEndpoint',
  method: 'DELETE',
  path: `${PATH}/{endpoint_id}`,
  tag: TAG,
  summary: 'Delete a webhook endpoint',
  description: 'Deliveries that wait for this endpoint are given up.',
  access: 'webhooks',
  params: endpointParams,
  query: noQuery,
  answers: { 204: { description: 'The endpoint is deleted.' } },
  problems: ['unknown_field', 'not_found'],
});

export const testEndpoint = defineOperation({
  id: 'testWebhookEndpoint',
  method: 'POST',
  path: `${PATH}/{endpoint_id}/test`,
  tag: TAG,
  summary: 'Send a test event',
  description: 'Sends a `webhook_endpoint.test` event once and at once, even when the endpoint is disabled. `GET /deliveries/{delivery_id}` returns the receiver’s answer.',
  access: 'webhooks',
  params: endpointParams,
  query: noQuery,
  answers: { 202: { description: 'The delivery, which is being sent.', schema: deliverySchema } },
  problems: ['unknown_field', 'not_found'],
});

export const getEndpointSecret = defineOperation({
  id: 'getWebhookEndpointSecret',
  method: 'GET',
  path: `${PATH}/{endpoint_id}/secret`,
  tag: TAG,
  summary: 'Get the secret that signs the webhooks of an endpoint',
  description: '`shared: true` means that the endpoint was created before endpoints had their own secrets; it uses the account’s secret until its first rotation.',
  access: 'webhooks',
  isForKeysOnly: true,
  params: endpointParams,
  query: noQuery,
  answers: { 200: { description: 'The secret.', schema: secretSchema } },
  problems: ['unknown_field', 'not_found'],
});

export const rotateEndpointSecret = defineOperation({
  id: 'rotateWebhookEndpointSecret',
  method: 'POST',
  path: `${PATH}/{endpoint_id}/secret/rotate`,
  tag: TAG,
  summary: 'Replace the secret of an endpoint',
  description: 'For 24 hours, webhooks to this endpoint carry a signature with each of the two secrets. With `revoke_previous`, only the new secret signs from now on.',
  access: 'webhooks',
  isForKeysOnly: true,
  repeats: { by: 'kept', secret: true },
  params: endpointParams,
  query: noQuery,
  body: { schema: z.strictObject({ revoke_previous: revokePrevious }).meta({ id: 'WebhookEndpointSecretRotation', description: 'How to replace the secret.' }), optional: true },
  answers: { 201: { description: 'The new secret.', schema: secretSchema } },
  problems: ['unknown_field', 'malformed_json', 'unsupported_media_type', 'payload_too_large', 'not_found'],
});

export const listEndpointDeliveries = defineOperation({
  id: 'listWebhookEndpointDeliveries',
  method: 'GET',
  path: `${PATH}/{endpoint_id}/deliveries`,
  tag: TAG,
  summary: 'List the deliveries to a webhook endpoint, newest first',
  access: 'webhooks',
  params: endpointParams,
  query: z.strictObject(pageQuery),
  answers: { 200: { description: 'Deliveries with their attempts.', schema: pageOf(deliverySchema) } },
  problems: ['unknown_field', 'not_found', 'invalid_cursor'],
});

export const ENDPOINT_OPERATIONS: readonly Operation[] = [
  listEndpoints,
  createEndpoint,
  getEndpoint,
  updateEndpoint,
  deleteEndpoint,
  testEndpoint,
  getEndpointSecret,
  rotateEndpointSecret,
  listEndpointDeliveries,
];
