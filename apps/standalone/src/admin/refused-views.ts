import { eventToJson, type RefusedEvent } from '@parlance/event-bus';
import { details, shortened, table } from './table.js';

/** With the service that could not publish it. */
export interface RefusedByBus extends RefusedEvent {
  service: string;
}

/** For scripts: with the event's data in proto3 JSON. */
export function refusedJson({ service, reason, refusedAt, event }: RefusedByBus): Record<string, unknown> {
  return { id: event.id, service, reason, refused_at: refusedAt, event: eventToJson(event) };
}

export function refusedTable(refused: readonly RefusedByBus[]): string {
  if (refused.length === 0) return 'No refused events.';
  const rows = refused.map(({ service, refusedAt, event, reason }) => [event.id, refusedAt, service, event.type, event.key, shortened(reason)]);
  return table(['ID', 'REFUSED AT', 'SERVICE', 'EVENT', 'KEY', 'REASON'], rows);
}

export function refusedDetails({ service, reason, refusedAt, event }: RefusedByBus): string {
  return details({ id: event.id, service, 'refused at': refusedAt, reason }, eventToJson(event));
}
