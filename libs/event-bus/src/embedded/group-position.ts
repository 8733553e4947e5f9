import type { Topic } from '@parlance/contracts';
import type { Logger } from '@parlance/platform';
import type { GroupCommit } from '@parlance/platform/sqlite';
import type { DeadLetterRow, EventLog, LoggedEvent } from './event-log.js';
import type { SharedReads } from './shared-reads.js';

/** The group has finished an event. */
export interface Settlement {
  from: { position: number } | { replay: number } | 'events skipped';
  /** Set when it is done with it by giving up. */
  letter?: Letter;
}

type Letter = Omit<DeadLetterRow, 'id'>;

interface Waiting extends Settlement {
  resolve: (durable: boolean) => void;
}

/** Milliseconds until the file is tried again, when it does not take a write. */
const WRITE_RETRY_MS = 500;
/** Milliseconds that the floor waits over events passed over for an acknowledgement to go along with. */
const FLOOR_DELAY_MS = 1000;
/** Milliseconds that acknowledgements wait for another commit to go along with. */
const ACKNOWLEDGE_WITHIN_MS = 20;
const UNKEPT = 'no dead letter was stored because the key of the event was erased';

/**
 * The progress of a group on a topic. Events may be done with in any order; what is remembered in the file is a floor,
 * below which everything is done, and the positions above it that are.
 */
export class GroupPosition {
  private cursor: number;
  /** Done with above the floor, before this process. */
  private readonly doneBefore: ReadonlySet<number>;
  /** Positions read and not durably done with; a Set keeps them in the order they were read. */
  private readonly unfinished = new Set<number>();
  private waiting: Waiting[] = [];
  private writing: Promise<void> | undefined;
  private floorTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly group: string,
    private readonly topic: Topic,
    private readonly log: EventLog,
    private readonly reads: SharedReads,
    private readonly commits: GroupCommit,
    private readonly logger: Logger,
    /** True to try again while the file takes no writes. */
    private readonly keepTrying: () => boolean,
  ) {
    this.cursor = log.floor(group, topic);
    this.doneBefore = log.done(group, topic);
  }

  /** Looks at the next events. @returns those that the group is not done with and that are wanted, and whether there may be more */
  read(limit: number, isWanted: (event: LoggedEvent) => boolean): { events: LoggedEvent[]; more: boolean } {
    const rows = this.reads.read(this.topic, this.cursor, limit);
    const events = rows.filter((event) => !this.doneBefore.has(event.position) && isWanted(event));
    for (const { position } of events) this.unfinished.add(position);
    this.cursor = rows.at(-1)?.position ?? this.cursor;
    if (events.length < rows.length) this.raiseFloorLater();
    return { events, more: rows.length === limit };
  }

  /** Events that are done with, which the file does not say yet. */
  get unacknowledged(): number {
    return this.waiting.length;
  }

  /** Resolves once it is durable, to false when that was given up. */
  settle(settlement: Settlement): Promise<boolean> {
    return new Promise((resolve) => {
      this.waiting.push({ ...settlement, resolve });
      this.writing ??= this.write().finally(() => (this.writing = undefined));
    });
  }

  /** Resolves when nothing is left to write. */
  async drained(): Promise<void> {
    if (this.floorTimer) {
      clearTimeout(this.floorTimer);
      await this.settle({ from: 'events skipped' });
    }
    await this.writing;
  }

  private get hasLetters(): boolean {
    return this.waiting.some(({ letter }) => letter !== undefined);
  }

  private raiseFloorLater(): void {
    this.floorTimer ??= setTimeout(() => void this.settle({ from: 'events skipped' }), FLOOR_DELAY_MS).unref();
  }

  private async write(): Promise<void> {
    let failed = 0;
    while (this.waiting.length > 0) {
      const batch: Waiting[] = [];
      try {
        const acknowledge = () => {
          batch.push(...this.waiting.splice(0));
          return this.apply(batch);
        };
        const unkept = await this.commits.run(1, acknowledge, { waitMs: this.hasLetters ? 0 : ACKNOWLEDGE_WITHIN_MS });
        for (const { event_id, key } of unkept) this.logger.info({ group: this.group, event_id, key }, UNKEPT);
      } catch (error) {
        this.waiting.unshift(...batch);
        failed += 1;
        // Once for each outage: a full disk would otherwise be logged by every group twice a second.
        if (failed === 1) this.logger.error({ err: error, group: this.group, topic: this.topic, retry_ms: WRITE_RETRY_MS }, 'acknowledging events failed; retrying');
        if (!this.keepTrying()) {
          this.waiting.splice(0).forEach(({ resolve }) => resolve(false));
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, WRITE_RETRY_MS));
        continue;
      }
      if (failed > 0) this.logger.info({ group: this.group, topic: this.topic, attempts: failed + 1 }, 'acknowledging events works again');
      failed = 0;
      for (const { from, resolve } of batch) {
        if (typeof from === 'object' && 'position' in from) this.unfinished.delete(from.position);
        resolve(true);
      }
    }
  }

  /** @returns the dead letters that are not kept */
  private apply(batch: readonly Settlement[]): Letter[] {
    const positions = new Set<number>();
    const unkept: Letter[] = [];
    for (const { from, letter } of batch) {
      if (typeof from === 'object') {
        if ('position' in from) positions.add(from.position);
        else this.log.forgetReplay(from.replay);
      }
      if (letter && !this.log.bury(letter)) unkept.push(letter);
    }
    this.log.settle(this.group, this.topic, [...positions], this.floorWithout(positions));
    clearTimeout(this.floorTimer);
    this.floorTimer = undefined;
    return unkept;
  }

  private floorWithout(done: ReadonlySet<number>): number {
    for (const position of this.unfinished) if (!done.has(position)) return position - 1;
    return this.cursor;
  }
}
