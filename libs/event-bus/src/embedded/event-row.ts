import { eventFromJson, eventToJson } from '../event-json.js';
import type { OutboxEvent } from '../event-bus.js';

/** An event in the columns that every table of events has. */
export interface EventRow {
  event_id: string;
  type: string;
  source: string;
  time: string;
  key: string;
  traceparent: string | null;
  data: string;
}

export const EVENT_COLUMNS = 'event_id, type, source, time, key, traceparent, data';

/** In the order of EVENT_COLUMNS. */
export const eventValues = (row: EventRow) =>
  [row.event_id, row.type, row.source, row.time, row.key, row.traceparent, row.data] as const;

export function toEventRow(event: OutboxEvent): EventRow {
  const { id, type, source, time, key, traceparent, data } = eventToJson(event);
  return { event_id: id, type, source, time, key, traceparent: traceparent ?? null, data: JSON.stringify(data) };
}

export function fromEventRow(row: EventRow): OutboxEvent {
  const { event_id: id, type, source, time, key, traceparent } = row;
  return eventFromJson({ id, type, source, time, key, data: JSON.parse(row.data), ...(traceparent === null ? {} : { traceparent }) });
}
