import type { Topic } from '@parlance/contracts';
import { retryDelay, type Logger } from '@parlance/platform';
import type { EventEnvelope, Follower } from '../event-bus.js';
import type { EventLog } from './event-log.js';
import { fromEventRow, type EventRow } from './event-row.js';
import type { SharedReads } from './shared-reads.js';

const BATCH = 128;
/** Between two tries while the file cannot be read. */
const BACK_OFF = { initialDelayMs: 200, maxDelayMs: 10_000 };

/** Shows a follower what is appended to a topic from now on. */
export class LogFollower {
  readonly topic: Topic;
  private cursor: number;
  private scheduled = false;
  private closed = false;
  private failures = 0;
  private retryTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly follower: Follower,
    log: EventLog,
    private readonly reads: SharedReads,
    private readonly logger: Logger,
    private readonly random: () => number,
  ) {
    this.topic = follower.topic;
    this.cursor = log.end();
  }

  wake(): void {
    if (this.scheduled || this.closed || this.retryTimer) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      if (!this.closed) this.readOrRetry();
    });
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.retryTimer);
  }

  private readOrRetry(): void {
    try {
      this.read();
      this.failures = 0;
    } catch (error) {
      this.failures += 1;
      this.logger.error({ err: error, failures: this.failures }, 'reading events failed');
      this.retryTimer = setTimeout(() => {
        this.retryTimer = undefined;
        this.wake();
      }, retryDelay(this.failures, BACK_OFF, this.random()));
    }
  }

  private read(): void {
    const rows = this.reads.read(this.topic, this.cursor, BATCH);
    for (const row of rows) this.show(row);
    this.cursor = rows.at(-1)?.position ?? this.cursor;
    if (rows.length === BATCH) this.wake();
  }

  private show(row: EventRow): void {
    const { handlers } = this.follower;
    if (!Object.hasOwn(handlers, row.type)) return;
    try {
      const event = fromEventRow(row);
      (handlers[event.type] as (event: EventEnvelope) => void)(event);
    } catch (error) {
      this.logger.error({ err: error, event_id: row.event_id, event_type: row.type }, 'following an event failed');
    }
  }
}
