import { EVENTS, isEventType, topicOf, type MessageCodec, type NewEvent, type Topic } from '@parlance/contracts';
import { AppError, currentTraceparent, type Clock, type IdGenerator } from '@parlance/platform';
import type { EventEnvelope, OutboxEvent } from './event-bus.js';

/** An envelope whose data is in the proto3 JSON mapping: how events are stored and sent. */
export type EventJson = Omit<EventEnvelope, 'type' | 'data'> & { type: string; data: unknown };

export interface EventStamps {
  clock: Clock;
  ids: IdGenerator;
  /** The service that publishes. */
  source: string;
  /** The trace that the event belongs to, if it names none. Default: that of the code that runs. */
  traceparent?: string | undefined;
}

/** The event with its id, time, key and trace, as it goes into an outbox. */
export function stampEvent(event: NewEvent, { clock, ids, source, traceparent: running = currentTraceparent() }: EventStamps): OutboxEvent {
  const key = (EVENTS[event.type].key as (data: unknown) => string)(event.data);
  const { type, data, traceparent = running } = event;
  return { id: ids.next('evt'), type, source, time: clock.now().toISOString(), key, data, ...(traceparent !== undefined && { traceparent }) } as OutboxEvent;
}

/** The topic of the event. @throws AppError event_unknown for a type that the catalogue does not have (any more) */
export function topicOfEvent({ type }: OutboxEvent): Topic {
  if (!isEventType(type)) throw new AppError({ kind: 'invalid', code: 'event_unknown', message: `There are no events of the type ${String(type)}.` });
  return topicOf(type);
}

export function eventToJson(event: OutboxEvent): EventJson {
  // One of a type that the catalogue had in an earlier version is as it was read.
  return { ...event, data: isEventType(event.type) ? codecOf(event.type).toJSON(event.data) : event.data };
}

/** Data of a type that the catalogue does not know (any more) stays as it is. */
export function eventFromJson(event: EventJson): OutboxEvent {
  if (!isEventType(event.type)) return event as OutboxEvent;
  return { ...event, data: codecOf(event.type).fromJSON(event.data) } as OutboxEvent;
}

const codecOf = (type: OutboxEvent['type']) => EVENTS[type].codec as MessageCodec<unknown>;
