import type { Consumer, Delivery, OutboxEvent } from '@parlance/event-bus';
import { inService, inSpan, outageOf, toAppError, type SpanOptions } from '@parlance/platform';
import type { EventMetrics } from './metrics/event-metrics.js';

type Handler = (delivery: Delivery) => Promise<void>;

/** Measures each try of a consumer's handlers and runs it in a span below the one that stored the event, so that a job's events form one trace. */
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
    if (event.type !== 'job.deleted' && isErased(error)) return end('done');
    const givenBack = draining.aborted && error === draining.reason;
    end(givenBack || (signal.aborted && toAppError(signal.reason).kind === 'canceled') ? 'interrupted' : 'failed');
    const outage = outageOf(error);
    if (outage) metrics.outage(consumer, outage.code);
    throw error;
  }
}

/** True when the key of the event's job was destroyed before this service received `job.deleted`: nothing may be stored about the job any more. */
const isErased = (error: unknown): boolean => toAppError(error).code === 'key_destroyed';

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
