import { ENDPOINT_TEST, SUBSCRIBABLE_TYPES } from '@parlance/contracts';
import { z } from 'zod';
import { webhookEventSchema } from '../deliveries/webhook-data.js';
import { defineOperation } from '../http/operation.js';
import { jobId, noParams, pageQuery, time } from '../http/schema.js';

export const listEvents = defineOperation({
  id: 'listEvents',
  method: 'GET',
  path: '/api/v1/events',
  tag: 'Webhooks',
  summary: 'Replay the events of the account, oldest first',
  description: 'Every announced event, in one order that never changes. Events are kept for 30 days, or as the operator sets; those of an erased job until its erasure.',
  access: 'webhooks',
  params: noParams,
  query: z.strictObject({
    after: z.string().min(1).max(1024).optional().meta({ description: '`next_cursor` of an earlier response, or the id of an event (`webhook-id`). When omitted, the list starts at the oldest event.' }),
    limit: pageQuery.limit,
    type: z.enum([...SUBSCRIBABLE_TYPES, ENDPOINT_TEST]).optional().meta({ description: 'Lists events of this type.', override: { $ref: '#/components/schemas/WebhookType' } }),
    job_id: jobId.optional().meta({ description: 'Lists events about this job.' }),
    order: z.enum(['asc', 'desc']).default('asc').meta({ description: '`desc` lists the newest first; `after` then names the event before which the page begins.' }),
  }),
  answers: {
    200: {
      description: 'One page.',
      schema: z
        .object({
          data: z.array(webhookEventSchema).meta({ description: 'The events, the oldest first.' }),
          next_cursor: z.string().meta({ description: 'Always present. Later events come after it.' }),
          has_more: z.boolean().meta({ description: 'True when more events exist already.' }),
          retained_since: time.meta({ description: 'Events from before this time may have been removed.' }),
        })
        .meta({ id: 'WebhookEventPage', description: 'One page of events.' }),
    },
  },
  problems: ['unknown_field', 'invalid_cursor'],
});
