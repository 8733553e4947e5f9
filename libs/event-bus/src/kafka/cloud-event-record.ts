import { AppError } from '@parlance/platform';
import type { OutboxEvent } from '../event-bus.js';
import { eventFromJson, eventToJson } from '../event-json.js';

/** A record as it is sent. */
export interface OutgoingRecord {
  key: string;
  /** Null in a tombstone. */
  value: Buffer | string | null;
  headers: Record<string, string>;
}

/** The parts of a received record that matter here. */
export interface IncomingRecord {
  key: Buffer | null;
  value: Buffer | null;
  headers?: Record<string, Buffer | string | (Buffer | string)[] | undefined> | undefined;
  /** Milliseconds since the epoch, as a string. */
  timestamp: string;
}

/** A CloudEvents extension attribute: the one group that is to handle a replayed event. Others ignore the record. */
export const REPLAY_FOR = 'ce_replayfor';

/** Everything about an event but its data. */
export interface EventAttributes {
  id: string;
  type: string;
  source: string;
  time: string;
  key: string;
  traceparent?: string;
}

/**
 * The event in binary content mode: attributes in headers, proto3 JSON in the value.
 * @see CloudEvents 1.0.2, Kafka protocol binding, section 3.2
 */
export function toRecord(event: OutboxEvent): OutgoingRecord {
  const { id, type, source, time, key, traceparent, data } = eventToJson(event);
  const headers: Record<string, string> = {
    ce_specversion: '1.0',
    ce_id: id,
    ce_type: type,
    ce_source: source,
    ce_time: time,
    ce_partitionkey: key,
    'content-type': 'application/json',
  };
  // The attribute of the extension for distributed tracing, and the header that instrumented clients read.
  if (traceparent !== undefined) Object.assign(headers, { ce_traceparent: traceparent, traceparent });
  return { key, value: JSON.stringify(data), headers };
}

/** The record's headers as text. */
export function headersOf(record: IncomingRecord): Record<string, string> {
  const texts = Object.keys(record.headers ?? {}).map((name) => [name, headerOf(record, name)] as const);
  return Object.fromEntries(texts.filter((text): text is [string, string] => text[1] !== undefined));
}

/** One of them: the first of its name. */
export function headerOf({ headers }: IncomingRecord, name: string): string | undefined {
  const value = headers?.[name];
  return (Array.isArray(value) ? value[0] : value)?.toString();
}

/** @returns undefined when the record is not a CloudEvent in binary content mode */
export function attributesOf(record: IncomingRecord): EventAttributes | undefined {
  const of = (name: string) => headerOf(record, name);
  const [id, type, source] = [of('ce_id'), of('ce_type'), of('ce_source')];
  if (!of('ce_specversion')?.startsWith('1.') || !id || !type || !source) return undefined;
  const traceparent = of('ce_traceparent') ?? of('traceparent');
  return {
    id,
    type,
    source,
    time: of('ce_time') ?? new Date(Number(record.timestamp)).toISOString(),
    key: of('ce_partitionkey') ?? record.key?.toString() ?? '',
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/**
 * The event with its data; fields that this version does not know are left out.
 * @throws AppError event_undecodable
 */
export function decodeEvent(attributes: EventAttributes | undefined, value: Buffer | null): OutboxEvent {
  if (!attributes) throw undecodable('it is not a CloudEvent 1.0 in binary mode');
  if (value === null) throw undecodable('it has no data');
  try {
    const data: unknown = JSON.parse(value.toString());
    if (typeof data === 'object' && data !== null && !Array.isArray(data)) return eventFromJson({ ...attributes, data });
  } catch (cause) {
    throw undecodable('its data are not JSON of its schema', cause);
  }
  throw undecodable('its data are not a JSON object');
}

const undecodable = (why: string, cause?: unknown): AppError =>
  new AppError({ kind: 'invalid', code: 'event_undecodable', message: `The record cannot be read: ${why}.`, cause });
