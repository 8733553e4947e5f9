import { EVENTS, type MessageCodec } from '@parlance/contracts';
import type { DeadLetter } from '@parlance/event-bus';
import { details, shortened, table } from './table.js';

/** For scripts: the letter with its event's data in proto3 JSON. */
export function deadLetterJson({ id, group, topic, reason, attempts, failedAt, event }: DeadLetter): Record<string, unknown> {
  const codec = EVENTS[event.type].codec as MessageCodec<unknown>;
  return { id, group, topic, reason, attempts, failed_at: failedAt, event: { ...event, data: codec.toJSON(event.data) } };
}

/** One line each, for a terminal. */
export function deadLetterTable(letters: readonly DeadLetter[]): string {
  if (letters.length === 0) return 'No dead letters.';
  const rows = letters.map(({ id, failedAt, group, event, attempts, reason }) => [id, failedAt, group, event.type, event.key, String(attempts), shortened(reason)]);
  return table(['ID', 'FAILED AT', 'GROUP', 'EVENT', 'KEY', 'TRIES', 'REASON'], rows);
}

export function deadLetterDetails(letter: DeadLetter): string {
  const { id, group, topic, reason, attempts, failedAt } = letter;
  const head = { id, group, topic, 'failed at': failedAt, tries: attempts, reason };
  return details(head, deadLetterJson(letter).event);
}
