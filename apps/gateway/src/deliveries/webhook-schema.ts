import { ENDPOINT_TEST, SUBSCRIBABLE_TYPES } from '@parlance/contracts';
import { z } from 'zod';
import { idSchema, openEnum, time } from '../http/schema.js';

const EXAMPLE_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

export const deliveryId = idSchema('dlv', 'dlv_01k9z3v4n8_0');
export const endpointId = idSchema('whe', 'whe_01k9z3v4n8');

const webhookType = z.enum([...SUBSCRIBABLE_TYPES, ENDPOINT_TEST]).meta({ id: 'WebhookType', description: 'A type of event that a webhook can have.' });

const deliveryStatus = z.enum(['pending', 'delivered', 'failed']).meta({ id: 'DeliveryStatus', description: 'The state of a delivery; delivered and failed are terminal.' });

const attempt = z
  .object({
    attempted_at: time.meta({ description: 'The time of the attempt.' }),
    status_code: z.int().min(100).max(999).optional().meta({ description: 'The HTTP status of the answer. Absent when no answer came.' }),
    error: z.string().optional().meta({ description: 'Why the attempt failed without an answer.' }),
    latency_ms: z.number().meta({ description: 'Milliseconds until the answer, or the time limit when no answer came.' }),
    response_body: z.string().meta({ description: 'The first kilobyte of the answer.' }),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One attempt of a delivery.' });

export const deliverySchema = z
  .object({
    delivery_id: deliveryId,
    event_id: z.string().meta({ description: 'The `webhook-id`, which is the same for every attempt.' }),
    event_type: openEnum(webhookType).meta({ description: 'The type of the event.', example: 'transcription.completed' }),
    job_id: z.string().optional().meta({ description: 'Absent when the event is about no job.' }),
    endpoint_id: z.string().optional().meta({ description: 'The endpoint that the delivery goes to. Absent when it goes to the `callback_url` of the job.' }),
    url: z.string().meta({ description: 'Where the webhook is sent.' }),
    status: openEnum(deliveryStatus).meta({ description: 'The state of the delivery.' }),
    created_at: time.optional().meta({ description: 'When the event was to be delivered first.' }),
    next_attempt_at: time.optional().meta({ description: 'The earliest time of the next attempt. While the address keeps failing, one of its deliveries is sent from time to time as a probe.' }),
    error: z.string().optional().meta({ description: 'Why the delivery was given up without a further attempt.' }),
    attempts: z.array(attempt).meta({ description: 'The attempts so far, the oldest first.' }),
  })
  .meta({ id: 'Delivery', description: 'The delivery of an event to one receiver.' });

export const eventTypeSchema = z.enum(SUBSCRIBABLE_TYPES).meta({ id: 'EventType', description: 'A type of event that an endpoint can subscribe to.' });

export const disabledReason = z.enum(['failing', 'gone']).meta({ id: 'DisabledReason', description: 'Why Parlance disabled an endpoint.' });

export const endpointSchema = z
  .object({
    endpoint_id: endpointId,
    url: z.string().meta({ description: 'Where webhooks are sent.' }),
    event_types: z.array(openEnum(eventTypeSchema)).meta({ description: 'The types of events that the endpoint receives.' }),
    enabled: z.boolean().meta({ description: 'Whether webhooks are sent.' }),
    header_names: z.array(z.string()).meta({ description: 'The names of the headers that are sent with its webhooks.', example: ['Authorization'] }),
    include: z.array(z.string()).meta({ description: 'The contents that its webhooks have.', example: ['transcript'] }),
    created_at: time,
    failing_since: time.optional().meta({ description: 'No attempt has succeeded since this time. After five days the endpoint is disabled.' }),
    disabled_at: time.optional().meta({ description: 'When Parlance disabled the endpoint. Absent when its owner disabled it.' }),
    disabled_reason: openEnum(disabledReason).optional().meta({ description: '`failing`: every attempt failed for five days. `gone`: the receiver answered 410.' }),
  })
  .meta({ id: 'WebhookEndpoint', description: 'A receiver of the events of all jobs.' });

export const createdEndpointSchema = z
  .object({
    ...endpointSchema.shape,
    secret: z.string().optional().meta({ description: 'Signs the webhooks of this endpoint only. `GET /webhook-endpoints/{endpoint_id}/secret` returns it again.', example: EXAMPLE_SECRET }),
  })
  .meta({ id: 'CreatedWebhookEndpoint', description: 'A new endpoint with its secret.' });

export const secretSchema = z
  .object({
    secret: z.string().meta({ description: 'Signs webhooks as Standard Webhooks defines it.', example: EXAMPLE_SECRET }),
    previous_expires_at: time.optional().meta({ description: 'The previous secret also signs until this time.' }),
    shared: z.boolean().meta({ description: 'True when this is the account’s secret: a receiver that has it can forge webhooks to the others that share it.' }),
  })
  .meta({ id: 'WebhookSecret', description: 'A secret that signs webhooks.' });

export const revokePrevious = z.boolean().default(false).meta({ description: 'When true, all previous secrets stop signing at once.' });
