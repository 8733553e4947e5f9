import { z } from 'zod';
import { defineOperation, type Operation } from '../http/operation.js';
import { noParams, noQuery, pageOf, pageQuery } from '../http/schema.js';
import { url } from '../transcriptions/job-options-schema.js';
import { deliverySchema, endpointId, endpointSchema, eventTypeSchema } from './webhook-schema.js';

const TAG = 'Webhooks';
const PATH = '/api/v1/webhook-endpoints';
const BODY_PROBLEMS = ['unknown_field', 'malformed_json', 'unsupported_media_type', 'payload_too_large', 'invalid_url', 'address_forbidden'] as const;

const endpointParams = z.object({ endpoint_id: endpointId });

const endpointUrl = url.meta({ description: 'http(s), public.', format: 'uri', example: 'https://example.org/hooks/parlance' });
const eventTypes = z.array(eventTypeSchema).min(1).max(20);
const enabled = z.boolean();

export const listEndpoints = defineOperation({
  id: 'listWebhookEndpoints',
  method: 'GET',
  path: PATH,
  tag: TAG,
  summary: 'List the account-wide receivers, newest first',
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
  summary: 'Add a receiver of the events of all jobs',
  description:
    'It is signed with the account’s secret, as all webhooks. An address that is also a job’s `callback_url` gets each event once. ' +
    'After an answer 410, or five days of only failures, it is disabled, and `webhook_endpoint.disabled` tells the others.',
  access: 'webhooks',
  params: noParams,
  query: noQuery,
  body: {
    schema: z
      .strictObject({
        url: endpointUrl,
        event_types: eventTypes.optional().meta({ description: 'Default: all.' }),
        enabled: enabled.default(true),
      })
      .meta({ id: 'NewWebhookEndpoint' }),
  },
  answers: { 201: { description: 'The endpoint.', schema: endpointSchema, headers: { Location: 'The endpoint.' } } },
  problems: [...BODY_PROBLEMS, 'too_many_endpoints'],
});

export const getEndpoint = defineOperation({
  id: 'getWebhookEndpoint',
  method: 'GET',
  path: `${PATH}/{endpoint_id}`,
  tag: TAG,
  summary: 'Get an account-wide receiver',
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
  summary: 'Change an account-wide receiver',
  description: '`enabled: true` enables one again that was disabled; `GET /events` and `redeliver` bring what it missed.',
  access: 'webhooks',
  params: endpointParams,
  query: noQuery,
  body: {
    schema: z
      .strictObject({ url: endpointUrl.optional(), event_types: eventTypes.optional(), enabled: enabled.optional() })
      .refine((changes) => Object.keys(changes).length > 0, 'There is nothing to change.')
      .meta({ id: 'WebhookEndpointChanges' }),
  },
  answers: { 200: { description: 'The endpoint as it is now.', schema: endpointSchema } },
  problems: [...BODY_PROBLEMS, 'not_found'],
});

export const deleteEndpoint = defineOperation({
  id: 'deleteWebhookEndpoint',
  method: 'DELETE',
  path: `${PATH}/{endpoint_id}`,
  tag: TAG,
  summary: 'Remove an account-wide receiver',
  description: 'What still waits for it is given up.',
  access: 'webhooks',
  params: endpointParams,
  query: noQuery,
  answers: { 204: { description: 'The endpoint is gone.' } },
  problems: ['unknown_field', 'not_found'],
});

export const testEndpoint = defineOperation({
  id: 'testWebhookEndpoint',
  method: 'POST',
  path: `${PATH}/{endpoint_id}/test`,
  tag: TAG,
  summary: 'Send a test event',
  description: 'A `webhook_endpoint.test`, once and at once, also when the endpoint is disabled; `GET /deliveries/{delivery_id}` shows the answer.',
  access: 'webhooks',
  params: endpointParams,
  query: noQuery,
  answers: { 202: { description: 'The delivery, on its way.', schema: deliverySchema } },
  problems: ['unknown_field', 'not_found'],
});

export const listEndpointDeliveries = defineOperation({
  id: 'listWebhookEndpointDeliveries',
  method: 'GET',
  path: `${PATH}/{endpoint_id}/deliveries`,
  tag: TAG,
  summary: 'List the deliveries to an account-wide receiver, newest first',
  access: 'webhooks',
  params: endpointParams,
  query: z.strictObject(pageQuery),
  answers: { 200: { description: 'One page, each with its attempts.', schema: pageOf(deliverySchema) } },
  problems: ['unknown_field', 'not_found', 'invalid_cursor'],
});

export const ENDPOINT_OPERATIONS: readonly Operation[] = [
  listEndpoints,
  createEndpoint,
  getEndpoint,
  updateEndpoint,
  deleteEndpoint,
  testEndpoint,
  listEndpointDeliveries,
];
