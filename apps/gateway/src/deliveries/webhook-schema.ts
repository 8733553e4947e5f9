import { SUBSCRIBABLE_TYPES } from '@parlance/contracts';
import { z } from 'zod';
import { idSchema, time } from '../http/schema.js';

const EXAMPLE_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

export const deliveryId = idSchema('dlv', 'dlv_01k9z3v4n8e7q2xw5t6r0ybhcd_0');
export const endpointId = idSchema('whe', 'whe_01k9z3v4n8e7q2xw5t6r0ybhcd');

export const deliverySchema = z
  .object({
    delivery_id: deliveryId,
    event_id: z.string().meta({ description: 'The `webhook-id`, which is the same for every attempt.' }),
    event_type: z.string().meta({ example: 'transcription.completed' }),
    job_id: z.string().optional().meta({ description: 'Absent when the event is about no job.' }),
    endpoint_id: z.string().optional().meta({ description: 'The endpoint that the delivery goes to. Absent when it goes to the `callback_url` of the job.' }),
    url: z.string(),
    status: z.enum(['pending', 'delivered', 'failed']),
    next_attempt_at: time.optional().meta({ description: 'The earliest time of the next attempt. Other deliveries to the same address may be sent first; while the address keeps failing, one of them is sent from time to time as a probe.' }),
    error: z.string().optional().meta({ description: 'Why the delivery was given up without a further attempt.' }),
    attempts: z.array(
      z.object({
        attempted_at: time,
        status_code: z.int().optional(),
        error: z.string().optional(),
        latency_ms: z.number().meta({ description: 'Milliseconds until the answer, or the time limit when no answer came.' }),
        response_body: z.string().meta({ description: 'The first kilobyte of the answer.' }),
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
    failing_since: time.optional().meta({ description: 'No attempt has succeeded since this time. After five days in which every attempt failed, the endpoint is disabled.' }),
    disabled_at: time.optional().meta({ description: 'The time at which Parlance disabled the endpoint. Absent when its owner disabled it.' }),
    disabled_reason: z.enum(['failing', 'gone']).optional().meta({ description: '`failing`: every attempt failed for five days. `gone`: the receiver answered 410.' }),
  })
  .meta({ id: 'WebhookEndpoint' });

export const createdEndpointSchema = z
  .object({
    ...endpointSchema.shape,
    secret: z.string().optional().meta({ description: 'Signs the webhooks of this endpoint only. `GET /webhook-endpoints/{endpoint_id}/secret` returns it again.', example: EXAMPLE_SECRET }),
  })
  .meta({ id: 'CreatedWebhookEndpoint' });

export const secretSchema = z
  .object({
    secret: z.string().meta({ example: EXAMPLE_SECRET }),
    previous_expires_at: time.optional().meta({ description: 'The previous secret also signs until this time.' }),
    shared: z.boolean().meta({ description: 'True when this is the account’s secret, which signs for all receivers without a secret of their own. A receiver that has this secret can forge webhooks to the others.' }),
  })
  .meta({ id: 'WebhookSecret' });

export const revokePrevious = z.boolean().default(false).meta({ description: 'When true, all previous secrets stop signing at once.' });

export const webhookEventSchema = z
  .object({
    event_id: z.string().meta({ description: 'The `webhook-id` of the webhooks of this event.', example: 'evt_01k9z3v4n8e7q2xw5t6r0ybhcd' }),
    type: z.string().meta({ example: 'transcription.completed' }),
    timestamp: time,
    data: z.record(z.string(), z.unknown()).meta({ description: 'The same data as in the webhook: `{job_id, status, sequence, metadata, …}`.' }),
  })
  .meta({ id: 'WebhookEvent' });
