import type { Topic } from '@parlance/contracts';
import { failureReason, inTrace, type Clock, type Logger, type Tries } from '@parlance/platform';
import type { GroupCommit } from '@parlance/platform/sqlite';
import type { OutboxEvent } from '../event-bus.js';
import type { EventLog } from './event-log.js';
import { fromEventRow, type EventRow } from './event-row.js';
import type { GroupMember } from '../delivery/group-member.js';
import { GroupPosition, type Settlement } from './group-position.js';
import { KeyLanes } from '../delivery/key-lanes.js';
import type { SharedReads } from './shared-reads.js';

interface GroupReaderDependencies {
  log: EventLog;
  reads: SharedReads;
  commits: GroupCommit;
  logger: Logger;
  clock: Clock;
  random: () => number;
}

interface Entry extends Tries {
  row: EventRow;
  /** The source of the event: the topic's log, or a dead letter that was replayed. */
  from: { position: number } | { replay: number };
}

/** Events taken from the file and not yet done with, beside those that run; a key that is stuck holds up others only behind that many. */
const WINDOW = 512;
const BATCH = 128;
/** Milliseconds until the file is read again after it could not be. */
const READ_RETRY_MS = 500;

/** Gives a group's events on one topic to the group's members in this process, in order for each key. */
export class GroupReader {
  private readonly members = new Set<GroupMember>();
  private readonly lanes = new KeyLanes<Entry>();
  private readonly position: GroupPosition;
  private readonly timers = new Set<NodeJS.Timeout>();
  /** Newest replay that was taken. */
  private replayed = 0;
  /** Entries in the lanes. */
  private held = 0;
  private behind = true;
  private mayHaveReplays = true;
  private scheduled = false;
  private stopped = false;
  /** A read has failed and is to be tried again. */
  private retrying = false;

  constructor(
    readonly group: string,
    readonly topic: Topic,
    private readonly dependencies: GroupReaderDependencies,
  ) {
    const { log, reads, commits, logger } = dependencies;
    this.position = new GroupPosition(group, topic, log, reads, commits, logger, () => this.members.size > 0);
  }

  get isEmpty(): boolean {
    return this.members.size === 0;
  }

  add(member: GroupMember): void {
    this.members.add(member);
    this.wake();
  }

  /** Events that the member did not finish go to the others. */
  async remove(member: GroupMember): Promise<void> {
    this.members.delete(member);
    await member.close();
    this.advance();
  }

  /** There may be something new in the log. */
  wake(): void {
    this.behind = true;
    this.advance();
  }

  /** There may be something new in the log, or a dead letter to be replayed. */
  wakeForReplays(): void {
    this.mayHaveReplays = true;
    this.wake();
  }

  /** After the last member has left. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.timers.forEach((timer) => clearTimeout(timer));
    await this.position.drained();
  }

  private advance(): void {
    if (this.stopped) return;
    const readable = this.fetchOrRetry();
    this.dispatch();
    if (readable && this.behind && this.hasRoom) this.advanceSoon();
  }

  /** @returns false while the file cannot be read; it is then looked at again after a pause. */
  private fetchOrRetry(): boolean {
    if (this.retrying) return false;
    try {
      this.fetch();
      return true;
    } catch (error) {
      this.dependencies.logger.error({ err: error, group: this.group }, 'reading events failed');
      this.retrying = true;
      this.after(READ_RETRY_MS, () => {
        this.retrying = false;
        this.advance();
      });
      return false;
    }
  }

  private get hasRoom(): boolean {
    let places = 0;
    for (const { concurrency } of this.members) places += concurrency;
    return this.held + this.position.unacknowledged <= places + WINDOW - 2 * BATCH;
  }

  /** In another turn of the event loop, as a long log of events without a handler would hold it up. */
  private advanceSoon(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.advance();
    });
  }

  private fetch(): void {
    const isWanted = ({ type }: EventRow) => this.members.size === 0 || this.isHandled(type);
    while (this.behind && this.hasRoom) {
      if (this.mayHaveReplays) this.fetchReplays();
      const { events, more } = this.position.read(BATCH, isWanted);
      for (const row of events) this.hold({ row, from: { position: row.position }, attempt: 1 });
      this.behind = more || this.mayHaveReplays;
    }
  }

  private fetchReplays(): void {
    const replays = this.dependencies.log.replays(this.group, this.topic, this.replayed, BATCH);
    for (const row of replays) this.hold({ row, from: { replay: row.id }, attempt: 1 });
    this.replayed = replays.at(-1)?.id ?? this.replayed;
    this.mayHaveReplays = replays.length === BATCH;
  }

  private isHandled(type: string): boolean {
    for (const member of this.members) if (member.handles(type)) return true;
    return false;
  }

  /** The one that does least. */
  private freeMember(type: string): GroupMember | undefined {
    let free: GroupMember | undefined;
    for (const member of this.members) if (member.handles(type) && member.load < (free?.load ?? 1)) free = member;
    return free;
  }

  private hold(entry: Entry): void {
    this.held += 1;
    this.lanes.add(entry.row.key, entry);
  }

  /** Starts all that may start now. */
  private dispatch(): void {
    for (let next = this.lanes.peek(); next && this.members.size > 0; next = this.lanes.peek()) {
      const { row } = next;
      const member = this.freeMember(row.type);
      if (!member && this.isHandled(row.type)) return;
      this.lanes.take();
      if (member) {
        void member.track(inTrace(row.traceparent ?? undefined, () => this.deliver(next, member))).then(() => this.advance());
      } else {
        void this.settle(next);
        this.release(next);
      }
    }
  }

  private async deliver(entry: Entry, member: GroupMember): Promise<void> {
    const decode = () => fromEventRow(entry.row);
    const result = await member.attempt(decode, entry.attempt);
    if (result.outcome === 'failed') {
      this.dependencies.logger.warn(factsOf(this.group, entry, result.error), 'handling an event failed');
      const delay = member.failed(entry, result.error, this.dependencies.random());
      if (delay !== undefined) {
        this.retryLater(entry, delay);
        return;
      }
    }
    if (result.outcome === 'done') this.acknowledge(entry);
    else if (result.outcome === 'failed' && (await this.bury(entry, member, decode, result.error))) this.release(entry);
    else this.lanes.again(entry.row.key);
  }

  /** Neither the member's place nor the key waits for it: what is handled meanwhile becomes durable by the same commit. */
  private acknowledge(entry: Entry): void {
    void this.settle(entry).then(() => this.advance());
    this.release(entry);
  }

  /** @returns whether the group is durably done with the event. */
  private async bury(entry: Entry, member: GroupMember, decode: () => OutboxEvent, error: unknown): Promise<boolean> {
    const end = await member.giveUp(decode, error);
    if (end === 'settled') return this.settle(entry);
    if (end === 'interrupted' || !(await this.settle(entry, error))) return false;
    this.dependencies.logger.error(factsOf(this.group, entry, error), 'an event became a dead letter');
    member.deadLettered();
    return true;
  }

  /** Frees the member's place meanwhile; the key waits. */
  private retryLater(entry: Entry, delay: number): void {
    this.after(delay, () => {
      this.lanes.again(entry.row.key);
      this.advance();
    });
  }

  private after(milliseconds: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      act();
    }, milliseconds);
    this.timers.add(timer);
  }

  private release(entry: Entry): void {
    this.held -= 1;
    this.lanes.finish(entry.row.key);
  }

  /** Resolves once the group is durably done with the event, as a dead letter when there is an error. */
  private settle({ from, row, attempt }: Entry, error?: unknown): Promise<boolean> {
    const settlement: Settlement = { from };
    if (error !== undefined) {
      const failed_at = this.dependencies.clock.now().toISOString();
      settlement.letter = { ...row, group_name: this.group, topic: this.topic, reason: failureReason(error), attempts: attempt, failed_at };
    }
    return this.position.settle(settlement);
  }
}

const factsOf = (group: string, { row, attempt }: Entry, error: unknown) => ({ err: error, group, event_id: row.event_id, event_type: row.type, key: row.key, attempt });
