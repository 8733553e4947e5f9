import { EVENTS, type MessageCodec } from '@parlance/contracts';
import type { DeadLetter } from '@parlance/event-bus';

const MAX_REASON = 60;

/** For scripts: the letter with its event's data in proto3 JSON. */
export function deadLetterJson({ id, group, topic, reason, attempts, failedAt, event }: DeadLetter): Record<string, unknown> {
  const codec = EVENTS[event.type].codec as MessageCodec<unknown>;
  return { id, group, topic, reason, attempts, failed_at: failedAt, event: { ...event, data: codec.toJSON(event.data) } };
}

/** One line each, for a terminal. */
export function deadLetterTable(letters: readonly DeadLetter[]): string {
  if (letters.length === 0) return 'No dead letters.';
  const rows = letters.map(({ id, failedAt, group, event, attempts, reason }) => [id, failedAt, group, event.type, event.key, String(attempts), shortened(reason)]);
  const header = ['ID', 'FAILED AT', 'GROUP', 'EVENT', 'KEY', 'TRIES', 'REASON'];
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd();
  return [header, ...rows].map(line).join('\n');
}

export function deadLetterDetails(letter: DeadLetter): string {
  const { id, group, topic, reason, attempts, failedAt } = letter;
  const head = { id, group, topic, 'failed at': failedAt, tries: attempts, reason };
  const lines = Object.entries(head).map(([name, value]) => `${`${name}:`.padEnd(11)}${value}`);
  return [...lines, 'event:', JSON.stringify(deadLetterJson(letter).event, null, 2)].join('\n');
}

const shortened = (text: string) => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > MAX_REASON ? `${line.slice(0, MAX_REASON - 1)}…` : line;
};
