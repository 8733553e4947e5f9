import { z } from 'zod';
import { defineOperation, type Operation } from '../http/operation.js';
import { dateOrTime, idSchema, noQuery, openEnum, time } from '../http/schema.js';
import { endpointId, eventTypeSchema } from './webhook-schema.js';

const PATH = '/api/v1/webhook-endpoints/{endpoint_id}/redeliveries';

const redeliveryId = idSchema('rdl', 'rdl_01k9z3v4n8');
const selection = z.enum(['failed', 'all']).meta({ id: 'RedeliverySelection', description: 'Which deliveries are made again: failed ones, or delivered ones as well.' });
const state = z.enum(['processing', 'completed']).meta({ id: 'RedeliveryState', description: 'Whether all of the deliveries are due again.' });

const redelivery = z
  .object({
    redelivery_id: redeliveryId,
    endpoint_id: endpointId,
    created_at: time,
    from: time,
    to: time,
    status: openEnum(selection).meta({ description: 'Which deliveries are made again.' }),
    event_types: z.array(openEnum(eventTypeSchema)).meta({ description: 'The types of events; empty: all.' }),
    state: openEnum(state).meta({ description: 'Whether all of them are due again.' }),
    count: z.int().meta({ description: 'The number of deliveries that are due again so far.' }),
    more_from: time.optional().meta({ description: 'Present when the maximum of 10,000 was reached: `from` of another redelivery for the rest.' }),
  })
  .meta({ id: 'Redelivery', description: 'Deliveries to an endpoint that are made again.' });

const when = (description: string) => dateOrTime().meta({ description, override: { type: 'string', format: 'date-time', anyOf: undefined } });

export const createRedelivery = defineOperation({
  id: 'createWebhookRedelivery',
  method: 'POST',
  path: PATH,
  tag: 'Webhooks',
  summary: 'Deliver the webhooks of a time to an endpoint again',
  description: 'The webhooks wait in order behind those of their receiver, each with its `webhook-id` and the whole retry schedule.',
  access: 'webhooks',
  params: z.object({ endpoint_id: endpointId }),
  query: noQuery,
  body: {
    schema: z
      .strictObject({
        from: when('Deliveries created at this time or later. It is not in the future.'),
        to: when('Deliveries created before this time. Default: now.').optional(),
        status: selection.default('failed'),
        event_types: z.array(eventTypeSchema).min(1).max(20).optional().meta({ description: 'Default: all.' }),
      })
      .refine(({ from, to }) => to === undefined || from < to, { path: ['to'], message: 'This must be after `from`.' })
      .meta({ id: 'NewRedelivery', description: 'Which deliveries to make again.', example: { from: '2026-03-01T00:00:00.000Z' } }),
  },
  answers: { 202: { description: 'The redelivery, which has begun.', schema: redelivery, headers: { Location: 'The redelivery.' } } },
  problems: ['unknown_field', 'malformed_json', 'unsupported_media_type', 'payload_too_large', 'not_found'],
});

export const getRedelivery = defineOperation({
  id: 'getWebhookRedelivery',
  method: 'GET',
  path: `${PATH}/{redelivery_id}`,
  tag: 'Webhooks',
  summary: 'Get a redelivery',
  access: 'webhooks',
  params: z.object({ endpoint_id: endpointId, redelivery_id: redeliveryId }),
  query: noQuery,
  answers: { 200: { description: 'The redelivery.', schema: redelivery } },
  problems: ['unknown_field', 'not_found'],
});

export const REDELIVERY_OPERATIONS: readonly Operation[] = [createRedelivery, getRedelivery];
