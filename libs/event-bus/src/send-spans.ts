import { spanRecorder, startSpan } from '@parlance/platform';
import type { OutboxEvent } from './event-bus.js';
import { topicOfEvent } from './event-json.js';

/**
 * Publishes with a span for each event, in its own trace: events of many jobs go together.
 * @see OpenTelemetry semantic conventions for messaging spans: handlers continue the span that stored the event
 */
export async function inSendSpans(events: readonly OutboxEvent[], publish: () => Promise<void>): Promise<void> {
  const spans = spanRecorder() ? events.filter(({ traceparent }) => traceparent !== undefined).map(sendSpan) : [];
  try {
    await publish();
    for (const span of spans) span.end();
  } catch (error) {
    for (const span of spans) span.end(error);
    throw error;
  }
}

const sendSpan = (event: OutboxEvent) =>
  startSpan(`send ${event.type}`, {
    kind: 'producer',
    parent: event.traceparent ?? 'none',
    attributes: { 'messaging.operation.name': 'send', 'messaging.destination.name': topicOfEvent(event), 'messaging.message.id': event.id },
  });
