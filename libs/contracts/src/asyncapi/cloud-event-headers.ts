import type { JsonSchema } from './proto-json-schema.js';

const text = (description: string, more: JsonSchema = {}): JsonSchema => ({ type: 'string', description, ...more });

const TRACEPARENT = '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}';

/**
 * The headers of a record, all UTF-8 text.
 * @see CloudEvents 1.0.2, Kafka protocol binding, section 3.2 (binary content mode)
 */
export const CLOUD_EVENT_HEADERS: JsonSchema = {
  type: 'object',
  description: 'CloudEvents 1.0 attributes in binary content mode. More may be added: ignore attributes that you do not know.',
  required: ['ce_specversion', 'ce_id', 'ce_type', 'ce_source', 'ce_time', 'ce_partitionkey', 'content-type'],
  properties: {
    ce_specversion: text('The version of CloudEvents.', { const: '1.0' }),
    ce_id: text('The id of the event, which is the same on every delivery: skip an event whose id you have handled.', { pattern: '^evt_' }),
    ce_type: text('What happened. Ignore types that you do not know.'),
    ce_source: text('The service that published the event.', { format: 'uri-reference', minLength: 1 }),
    ce_time: text('The time at which the event was stored, in UTC.', { format: 'date-time' }),
    ce_partitionkey: text('The key of the record, which is the job\'s id.', { minLength: 1 }),
    'content-type': text('The media type of the value: the proto3 JSON mapping of its schema.', { const: 'application/json' }),
    ce_replayfor: text('Present when an operator delivered the event again to this one group of Parlance: ignore the event.'),
    ce_traceparent: text('W3C trace context of the job, to continue its trace.', { pattern: TRACEPARENT }),
    traceparent: text('W3C trace context of the job, for clients with OpenTelemetry.', { pattern: TRACEPARENT }),
  },
};
