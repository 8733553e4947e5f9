import { createHash } from 'node:crypto';
import type { Topic } from '@parlance/contracts';
import type { DeadLetter, OutboxEvent } from '../event-bus.js';
import type { Entry } from './assigned-partition.js';
import { attributesOf, decodeEvent, headersOf, REPLAY_FOR, type IncomingRecord, type OutgoingRecord } from './cloud-event-record.js';

/** The failure of an event, in the headers of its dead letter beside its own. */
export interface Failure {
  group: string;
  topic: Topic;
  partition: number;
  reason: string;
  attempts: number;
  failedAt: string;
}

/** A dead letter as it lies in its topic. */
export interface StoredLetter {
  letter: DeadLetter;
  /** The record it was made of, to be sent again for its group alone. */
  replay: OutgoingRecord;
}

const PREFIX = 'dead-letter-';

/**
 * The record of a dead letter: the event's value and headers as they were, the failure in headers, its id as the key.
 * The id follows from where the event lay, so that an event that fails once more after a crash does not make a second letter.
 */
export function toDeadLetterRecord({ offset, key, attributes, record }: Entry, failure: Failure): OutgoingRecord {
  const { group, topic, partition, reason, attempts, failedAt } = failure;
  const place = JSON.stringify([group, topic, partition, offset, attributes?.id ?? null]);
  const { [REPLAY_FOR]: _, ...own } = headersOf(record);
  return {
    key: `dlt_${createHash('sha256').update(place).digest('hex').slice(0, 26)}`,
    value: record.value ?? '',
    headers: {
      ...own,
      [`${PREFIX}group`]: group,
      [`${PREFIX}topic`]: topic,
      [`${PREFIX}partition`]: String(partition),
      [`${PREFIX}offset`]: String(offset),
      [`${PREFIX}key`]: key,
      [`${PREFIX}reason`]: reason,
      [`${PREFIX}attempts`]: String(attempts),
      [`${PREFIX}failed-at`]: failedAt,
    },
  };
}

/** @returns undefined for a record that is none of ours */
export function fromDeadLetterRecord(record: IncomingRecord): StoredLetter | undefined {
  const headers = headersOf(record);
  const of = (name: string): string => headers[`${PREFIX}${name}`] ?? '';
  const [id, group] = [record.key?.toString(), of('group')];
  if (!id || !group || record.value === null) return undefined;
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(PREFIX)));
  return {
    letter: {
      id,
      group,
      topic: of('topic') as Topic,
      event: readEvent(record, of('key')),
      reason: of('reason'),
      attempts: Number(of('attempts')),
      failedAt: of('failed-at'),
    },
    replay: { key: of('key'), value: record.value, headers: { ...own, [REPLAY_FOR]: group } },
  };
}

/** As far as the event can be read; of one that cannot, the data are its text. */
function readEvent(record: IncomingRecord, key: string): OutboxEvent {
  const attributes = attributesOf(record);
  try {
    return decodeEvent(attributes, record.value);
  } catch {
    const unknown = { id: '', type: '', source: '', time: new Date(Number(record.timestamp)).toISOString(), key };
    return { ...(attributes ?? unknown), data: record.value?.toString() ?? '' } as unknown as OutboxEvent;
  }
}
