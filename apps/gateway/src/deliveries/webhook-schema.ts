import { SUBSCRIBABLE_TYPES } from '@parlance/contracts';
import { z } from 'zod';
import { idSchema, time } from '../http/schema.js';

export const deliveryId = idSchema('dlv', 'dlv_01k9z3v4n8e7q2xw5t6r0ybhcd_0');
export const endpointId = idSchema('whe', 'whe_01k9z3v4n8e7q2xw5t6r0ybhcd');

export const deliverySchema = z
  .object({
    delivery_id: deliveryId,
    event_id: z.string().meta({ description: 'The `webhook-id`, the same on every try.' }),
    event_type: z.string().meta({ example: 'transcription.completed' }),
    job_id: z.string().optional().meta({ description: 'Not of an event that is about no job.' }),
    endpoint_id: z.string().optional().meta({ description: 'Of the account-wide receiver; without one it went to the `callback_url` of the job.' }),
    url: z.string(),
    status: z.enum(['pending', 'delivered', 'failed']),
    next_attempt_at: time.optional().meta({ description: 'At the earliest: others to the same address may go before it, of which one is tried now and then while the address keeps failing.' }),
    error: z.string().optional().meta({ description: 'Why it was given up without a further try.' }),
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

export const eventTypeSchema = z.enum(SUBSCRIBABLE_TYPES);

export const endpointSchema = z
  .object({
    endpoint_id: endpointId,
    url: z.string(),
    event_types: z.array(eventTypeSchema),
    enabled: z.boolean(),
    created_at: time,
    failing_since: time.optional().meta({ description: 'Since then no try succeeded. After five days of only failures the endpoint is disabled.' }),
    disabled_at: time.optional().meta({ description: 'When Parlance disabled it; not when its owner did.' }),
    disabled_reason: z.enum(['failing', 'gone']).optional().meta({ description: '`failing`: five days of only failures. `gone`: it answered 410.' }),
  })
  .meta({ id: 'WebhookEndpoint' });

export const webhookEventSchema = z
  .object({
    event_id: z.string().meta({ description: 'The `webhook-id` of its webhooks.', example: 'evt_01k9z3v4n8e7q2xw5t6r0ybhcd' }),
    type: z.string().meta({ example: 'transcription.completed' }),
    timestamp: time,
    data: z.record(z.string(), z.unknown()).meta({ description: 'As in the webhook: `{job_id, status, sequence, metadata, …}`.' }),
  })
  .meta({ id: 'WebhookEvent' });
