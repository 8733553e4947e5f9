import type { Consumer, Delivery, OutboxEvent } from '@parlance/event-bus';
import { inService, inSpan, outageOf, toAppError, type SpanOptions } from '@parlance/platform';
import type { EventMetrics } from './metrics/event-metrics.js';

type Handler = (delivery: Delivery) => Promise<void>;

/** The consumer, each try of its handlers measured and in a span below the one that stored the event: a job's events make one trace. */
export function observedConsumer(service: string, consumer: Consumer, metrics: EventMetrics): Consumer {
  const observe =
    (handler: Handler): Handler =>
    (delivery) =>
      inService(service, () => observed(consumer, metrics, delivery, handler));
  const handlers = Object.entries(consumer.handlers).map(([type, handler]) => [type, observe(handler as Handler)]);
  const giveUp = (event: OutboxEvent, error: unknown) =>
    inService(service, () => inSpan(`give up ${event.type}`, optionsOf(consumer, event), async () => consumer.giveUp?.(event, error)));
  return { ...consumer, handlers: Object.fromEntries(handlers) as Consumer['handlers'], giveUp, deadLettered: () => metrics.deadLettered(consumer) };
}

async function observed(consumer: Consumer, metrics: EventMetrics, delivery: Delivery, handler: Handler): Promise<void> {
  const { event, attempt, signal, draining } = delivery;
  const end = metrics.begin(consumer, event as OutboxEvent, attempt);
  try {
    await inSpan(`process ${event.type}`, optionsOf(consumer, event as OutboxEvent, attempt), () => handler(delivery));
    end('done');
  } catch (error) {
    const givenBack = draining.aborted && error === draining.reason;
    end(givenBack || (signal.aborted && toAppError(signal.reason).kind === 'canceled') ? 'interrupted' : 'failed');
    const outage = outageOf(error);
    if (outage) metrics.outage(consumer, outage.code);
    throw error;
  }
}

/** @see OpenTelemetry semantic conventions for messaging spans */
function optionsOf({ group, topic }: Consumer, { id, key, traceparent }: OutboxEvent, attempt?: number): SpanOptions {
  return {
    kind: 'consumer',
    parent: traceparent ?? 'none',
    attributes: () => ({
      'messaging.operation.name': 'process',
      'messaging.destination.name': topic,
      'messaging.consumer.group.name': group,
      'messaging.message.id': id,
      'parlance.event_key': key,
      'parlance.attempt': attempt,
    }),
  };
}
