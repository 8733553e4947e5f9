import type { JsonSchema } from './proto-json-schema.js';

const text = (description: string, more: JsonSchema = {}): JsonSchema => ({ type: 'string', description, ...more });

const TRACEPARENT = '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}';

/**
 * The headers of a record, all UTF-8 text.
 * @see CloudEvents 1.0.2, Kafka protocol binding, section 3.2 (binary content mode)
 */
export const CLOUD_EVENT_HEADERS: JsonSchema = {
  type: 'object',
  description: 'CloudEvents 1.0 attributes in binary content mode. Others may be added: leave alone what you do not know.',
  required: ['ce_specversion', 'ce_id', 'ce_type', 'ce_source', 'ce_time', 'ce_partitionkey', 'content-type'],
  properties: {
    ce_specversion: text('Version of CloudEvents.', { const: '1.0' }),
    ce_id: text('The same on every delivery of the event: drop an event whose id you have handled.', { pattern: '^evt_' }),
    ce_type: text('What happened. Leave alone types that you do not know.'),
    ce_source: text('The service that published it.', { format: 'uri-reference', minLength: 1 }),
    ce_time: text('When it was stored, UTC.', { format: 'date-time' }),
    ce_partitionkey: text('The key of the record: the job.', { minLength: 1 }),
    'content-type': text('Of the value: the proto3 JSON mapping of its schema.', { const: 'application/json' }),
    ce_replayfor: text('On an event that an operator sent once more to this one group of Parlance: leave it alone.'),
    ce_traceparent: text('W3C trace context: go on with the trace of the job.', { pattern: TRACEPARENT }),
    traceparent: text('The same, for clients with OpenTelemetry.', { pattern: TRACEPARENT }),
  },
};
