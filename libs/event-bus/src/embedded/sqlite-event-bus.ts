import type { DatabaseSync } from 'node:sqlite';
import { TOPICS, type Topic } from '@parlance/contracts';
import { AppError, type Clock, type Logger } from '@parlance/platform';
import { GroupCommit, openSqliteDatabase, type Durability, type FileSync } from '@parlance/platform/sqlite';
import type { Consumer, DeadLetters, EventBus, Follower, OutboxEvent, Subscription } from '../event-bus.js';
import { topicOfEvent } from '../event-json.js';
import { EventLog, type LoggedEvent } from './event-log.js';
import { toEventRow, type EventRow } from './event-row.js';
import { GroupMember, type ClosingTimes } from '../delivery/group-member.js';
import { GroupReader } from './group-reader.js';
import { LogErasures } from './log-erasures.js';
import { LogFollower } from './log-follower.js';
import { trimLog } from './trim-log.js';
import { MIGRATIONS } from './schema.js';
import { SharedReads } from './shared-reads.js';
import { SqliteDeadLetters } from './sqlite-dead-letters.js';

interface SqliteEventBusOptions extends ClosingTimes {
  clock: Clock;
  log: Logger;
  random?: () => number;
  /** Default: power. */
  durability?: Durability | undefined;
  /** Default: fdatasync. */
  sync?: FileSync;
}

/** Milliseconds until events and replays of another process are noticed. */
const POLL_MS = 500;
/** Long after every group of this process has subscribed. */
const FIRST_TRIM_MS = 10 * 60 * 1000;
const TRIM_EVERY_MS = 60 * 60 * 1000;
/** Milliseconds until events of an erased key are removed after the last group has finished them. */
const SWEEP_EVERY_MS = 10 * 1000;
const PUBLISH_ROWS = 256;

/** The bus of a single process: an append log in one SQLite file, which survives the process's death, and a power cut unless `durability` says otherwise. */
export class SqliteEventBus implements EventBus {
  readonly deadLetters: DeadLetters;
  private readonly log: EventLog;
  private readonly reads: SharedReads;
  private readonly commits: GroupCommit;
  private readonly erasures: LogErasures;
  private readonly readers = new Map<string, GroupReader>();
  private readonly followers = new Set<LogFollower>();
  private readonly subscriptions = new Set<Subscription>();
  private readonly timers: NodeJS.Timeout[];
  private dataVersion: number;
  private closed: Promise<void> | undefined;

  /** @param database with the tables of MIGRATIONS; closed with the bus */
  constructor(
    database: DatabaseSync,
    private readonly options: SqliteEventBusOptions,
  ) {
    this.log = new EventLog(database);
    this.reads = new SharedReads(this.log);
    this.commits = new GroupCommit(database, busClosed, { durability: options.durability, sync: options.sync });
    this.erasures = new LogErasures(this.log, this.commits);
    this.deadLetters = new SqliteDeadLetters(this.log, this.commits, (group, topic) => this.readers.get(readerKey(group, topic))?.wakeForReplays());
    this.dataVersion = this.log.dataVersion();
    this.timers = [
      setInterval(() => this.poll(), POLL_MS).unref(),
      setInterval(() => this.inBackground(() => this.sweep('unfinished')), SWEEP_EVERY_MS).unref(),
      setTimeout(() => this.inBackground(() => this.trim()), FIRST_TRIM_MS).unref(),
      setInterval(() => this.inBackground(() => this.trim()), TRIM_EVERY_MS).unref(),
    ];
  }

  static async open(path: string, options: SqliteEventBusOptions): Promise<SqliteEventBus> {
    return new SqliteEventBus(openSqliteDatabase(path, MIGRATIONS, { log: options.log }), options);
  }

  async publish(events: readonly OutboxEvent[]): Promise<void> {
    const now = this.now();
    const rows = events.map((event) => ({ topic: topicOfEvent(event), row: toEventRow(event) }));
    // One part after the other: were a later one stored and an earlier one not, another try would put them out of order.
    for (let start = 0; start < rows.length; start += PUBLISH_ROWS) {
      const part = rows.slice(start, start + PUBLISH_ROWS);
      const { asOf, appended } = await this.commits.run(part.length, () => this.append(part, now));
      for (const [topic, logged] of appended) this.reads.appended(topic, logged, asOf);
      this.wake(new Set(appended.keys()));
    }
  }

  async subscribe(consumer: Consumer): Promise<Subscription> {
    const { group, topic } = consumer;
    await this.commits.run(1, () => this.log.join(group, topic, this.now()));
    const member = new GroupMember(consumer, this.options, this.options.log.child({ group, topic }));
    const reader = this.readerOf(group, topic);
    reader.add(member);
    return this.subscription(async () => {
      await reader.remove(member);
      if (!reader.isEmpty) return;
      if (this.readers.get(readerKey(group, topic)) === reader) this.readers.delete(readerKey(group, topic));
      await reader.stop();
    });
  }

  async follow(follower: Follower): Promise<Subscription> {
    const { log, random = Math.random } = this.options;
    const logFollower = new LogFollower(follower, this.log, this.reads, log.child({ topic: follower.topic }), random);
    this.followers.add(logFollower);
    return this.subscription(async () => {
      logFollower.close();
      this.followers.delete(logFollower);
    });
  }

  async check(): Promise<void> {
    this.commits.check();
    this.log.dataVersion();
  }

  close(): Promise<void> {
    this.closed ??= this.closeAll();
    return this.closed;
  }

  async erase(key: string, { except }: { except: string }): Promise<void> {
    await this.erasures.erase({ key, keptEvent: except }, this.now());
    this.reads.forgetAll();
  }

  /** Removes events that are done with and older than their topic keeps them, or of an erased key. */
  async trim(): Promise<void> {
    const live = [...this.readers.values()];
    await trimLog({ log: this.log, commits: this.commits, live, now: this.now(), topics: TOPICS });
    await this.sweep('all');
  }

  private async sweep(which: 'unfinished' | 'all'): Promise<void> {
    await this.erasures.sweep(which, this.now());
    this.reads.forgetAll();
  }

  private inBackground(work: () => Promise<void>): void {
    work().catch((error: unknown) => this.options.log.error({ err: error }, 'trimming the event log failed'));
  }

  private now(): number {
    return this.options.clock.now().getTime();
  }

  private async closeAll(): Promise<void> {
    this.timers.forEach((timer) => clearInterval(timer));
    await Promise.all([...this.subscriptions].map((subscription) => subscription.close()));
    try {
      await this.commits.close();
    } finally {
      this.log.close();
    }
  }

  private readerOf(group: string, topic: Topic): GroupReader {
    const key = readerKey(group, topic);
    let reader = this.readers.get(key);
    if (!reader) {
      const { clock, log: logger, random = Math.random } = this.options;
      reader = new GroupReader(group, topic, { log: this.log, reads: this.reads, commits: this.commits, logger, clock, random });
      this.readers.set(key, reader);
    }
    return reader;
  }

  private subscription(close: () => Promise<void>): Subscription {
    let closing: Promise<void> | undefined;
    const subscription: Subscription = {
      close: () => {
        closing ??= close().finally(() => this.subscriptions.delete(subscription));
        return closing;
      },
    };
    this.subscriptions.add(subscription);
    return subscription;
  }

  private poll(): void {
    try {
      const version = this.log.dataVersion();
      if (version === this.dataVersion) return;
      this.dataVersion = version;
      this.reads.forgetAll();
      this.readers.forEach((reader) => reader.wakeForReplays());
      this.followers.forEach((follower) => follower.wake());
    } catch (error) {
      this.options.log.error({ err: error }, 'looking for new events failed');
    }
  }

  /** Within a transaction. */
  private append(events: readonly { topic: Topic; row: EventRow }[], now: number): { asOf: number; appended: Map<Topic, LoggedEvent[]> } {
    const appended = new Map<Topic, LoggedEvent[]>();
    for (const { topic, row } of events) {
      const logged = this.log.append(topic, now, row);
      const others = appended.get(topic);
      if (others) others.push(logged);
      else appended.set(topic, [logged]);
    }
    return { asOf: this.log.dataVersion(), appended };
  }

  private wake(topics: ReadonlySet<Topic>): void {
    for (const reader of this.readers.values()) if (topics.has(reader.topic)) reader.wake();
    for (const follower of this.followers) if (topics.has(follower.topic)) follower.wake();
  }
}

const readerKey = (group: string, topic: Topic): string => `${topic} ${group}`;
const busClosed = () => new AppError({ kind: 'unavailable', code: 'event_bus_closed', message: 'The event bus is closed.' });
