import { EVENTS, isEventType, type MessageCodec, type NewEvent } from '@parlance/contracts';
import type { Clock, IdGenerator } from '@parlance/platform';
import type { EventEnvelope, OutboxEvent } from './event-bus.js';

/** An envelope whose data is in the proto3 JSON mapping: how events are stored and sent. */
export type EventJson = Omit<EventEnvelope, 'type' | 'data'> & { type: string; data: unknown };

export interface EventStamps {
  clock: Clock;
  ids: IdGenerator;
  /** The service that publishes. */
  source: string;
}

/** The event with its id, time and key, as it goes into an outbox. */
export function stampEvent(event: NewEvent, { clock, ids, source }: EventStamps): OutboxEvent {
  const key = (EVENTS[event.type].key as (data: unknown) => string)(event.data);
  return { id: ids.next('evt'), type: event.type, source, time: clock.now().toISOString(), key, data: event.data } as OutboxEvent;
}

export function eventToJson(event: OutboxEvent): EventJson {
  return { ...event, data: codecOf(event.type).toJSON(event.data) };
}

/** Data of a type that the catalogue does not know (any more) stays as it is. */
export function eventFromJson(event: EventJson): OutboxEvent {
  if (!isEventType(event.type)) return event as OutboxEvent;
  return { ...event, data: codecOf(event.type).fromJSON(event.data) } as OutboxEvent;
}

const codecOf = (type: OutboxEvent['type']) => EVENTS[type].codec as MessageCodec<unknown>;
