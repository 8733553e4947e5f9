import type { Topic } from '@parlance/contracts';
import { notFound } from '@parlance/platform';
import type { GroupCommit } from '@parlance/platform/sqlite';
import type { DeadLetter, DeadLetters } from '../event-bus.js';
import type { DeadLetterRow, EventLog } from './event-log.js';
import { fromEventRow } from './event-row.js';

const DEFAULT_LIMIT = 100;

export class SqliteDeadLetters implements DeadLetters {
  constructor(
    private readonly log: EventLog,
    private readonly commits: GroupCommit,
    private readonly replayed: (group: string, topic: Topic) => void,
  ) {}

  async list({ topic, group, limit = DEFAULT_LIMIT }: { topic?: Topic; group?: string; limit?: number } = {}): Promise<DeadLetter[]> {
    return this.log.letters(topic, group, limit).map(toDeadLetter);
  }

  async get(id: string): Promise<DeadLetter | undefined> {
    const row = this.log.letter(rowId(id));
    return row && toDeadLetter(row);
  }

  async replay(id: string): Promise<void> {
    const letter = await this.get(id);
    const existed = await this.commits.run(2, () => this.log.replay(rowId(id)));
    if (!existed || !letter) throw notFound('The dead letter');
    this.replayed(letter.group, letter.topic);
  }

  async drop(id: string): Promise<void> {
    const existed = await this.commits.run(1, () => this.log.dropLetter(rowId(id)));
    if (!existed) throw notFound('The dead letter');
  }
}

/** Ids are row numbers; 0 is none. */
const rowId = (id: string): number => (/^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0);

function toDeadLetter(row: DeadLetterRow): DeadLetter {
  const { id, group_name: group, topic, reason, attempts, failed_at: failedAt } = row;
  return { id: String(id), group, topic: topic as Topic, event: fromEventRow(row), reason, attempts, failedAt };
}
