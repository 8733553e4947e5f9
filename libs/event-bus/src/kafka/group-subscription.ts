import { isEventType } from '@parlance/contracts';
import { failureReason, inTrace, pause, retryDelay, withTimeout, type AttemptOutcome, type Clock, type Logger } from '@parlance/platform';
import type { Consumer as KafkaConsumer, EachBatchPayload, KafkaMessage } from 'kafkajs';
import { GroupMember, type ClosingTimes } from '../delivery/group-member.js';
import type { Consumer, Subscription } from '../event-bus.js';
import { AssignedPartition, type Entry } from './assigned-partition.js';
import { attributesOf, decodeEvent, headerOf, REPLAY_FOR } from './cloud-event-record.js';
import { toDeadLetterRecord } from './dead-letter-record.js';
import type { KafkaConnection } from './kafka-connection.js';
import type { RecordPublisher } from './record-publisher.js';
import { ResilientConsumer } from './resilient-consumer.js';
import { stickyAssigner } from './sticky-assigner.js';
import { deadLetterTopic } from './topics.js';

interface GroupSubscriptionDependencies {
  connection: KafkaConnection;
  publisher: RecordPublisher;
  clock: Clock;
  log: Logger;
  random: () => number;
  times: ClosingTimes;
}

/**
 * Records taken and not done with, of all partitions together, and of each at least: what a key that is stuck lets pass, what
 * may be delivered again after a crash, and what takes memory.
 */
const WINDOW = 4096;
const MIN_WINDOW = 128;
/** Milliseconds that a fetch waits for room before its partition is paused, which costs a round of fetching. */
const WAIT_FOR_ROOM_MS = 50;
/** Milliseconds in which finished events are committed together. */
const COMMIT_EVERY_MS = 100;
const COMMIT_RETRY_MS = 1000;
/** Milliseconds that closing waits for the last commit. */
const LAST_COMMIT_WITHIN_MS = 5000;
/** While the dead letter topic takes nothing. */
const DEAD_LETTER_BACK_OFF = { initialDelayMs: 500, maxDelayMs: 10_000 };

/**
 * One subscription of a group on one topic. Handlers run beside the loop that fetches, so that heartbeats continue however
 * long they take; a partition with enough in hand is paused.
 */
export class GroupSubscription implements Subscription {
  private readonly topic: string;
  private readonly member: GroupMember;
  private readonly consumer: ResilientConsumer;
  private readonly log: Logger;
  /** In the order in which they get their turn. */
  private readonly partitions = new Map<number, AssignedPartition>();
  /** Handlers that still run on partitions that were taken away. */
  private readonly leaving = new Map<number, Promise<void>>();
  private kafka: KafkaConsumer | undefined;
  private commitTimer: NodeJS.Timeout | undefined;
  private committing: Promise<void> | undefined;
  private closed: Promise<void> | undefined;
  /** Nothing runs any longer, and the last commit is made. */
  private ended = false;

  constructor(
    private readonly options: Consumer,
    private readonly dependencies: GroupSubscriptionDependencies,
  ) {
    const { connection, times, log } = dependencies;
    const { topicPrefix } = connection.settings;
    this.topic = `${topicPrefix}${options.topic}`;
    this.log = log.child({ group: options.group, topic: options.topic });
    this.member = new GroupMember(options, times, this.log);
    // One consumer for each topic, so that a change of one does not stop the others; named so that one ACL prefix covers both.
    const groupId = `${this.topic}.${options.group}`;
    this.consumer = new ResilientConsumer({
      topics: [this.topic],
      create: () => connection.createConsumer({ groupId, partitionAssigners: [stickyAssigner(() => [...this.partitions.keys()])] }),
      partitionsConsumedConcurrently: this.member.concurrency,
      events: {
        joined: (assignment, kafka) => this.assign(assignment.get(this.topic) ?? [], kafka),
        rebalancing: () => void this.commit(),
        lost: () => this.assign([], undefined),
        batch: (payload) => this.takeBatch(payload),
      },
      log: this.log,
    });
  }

  get isJoined(): boolean {
    return this.consumer.joined;
  }

  start(): Promise<void> {
    return this.consumer.start();
  }

  close(): Promise<void> {
    this.closed ??= this.closeOnce();
    return this.closed;
  }

  private async closeOnce(): Promise<void> {
    await this.member.drained();
    for (const partition of this.partitions.values()) partition.takeAway('the subscription closes');
    await this.member.close();
    this.ended = true;
    clearTimeout(this.commitTimer);
    const committed = Promise.resolve(this.committing).then(() => this.commit());
    await withTimeout(LAST_COMMIT_WITHIN_MS, committed, () => undefined);
    await this.consumer.close();
  }

  private assign(ids: readonly number[], kafka: KafkaConsumer | undefined): void {
    this.kafka = kafka;
    const gone = [...this.partitions.values()].filter(({ id }) => !ids.includes(id));
    for (const partition of gone) {
      partition.takeAway('the partition moved');
      this.partitions.delete(partition.id);
      this.leaving.set(partition.id, partition.idle());
    }
    const come = ids.filter((id) => !this.partitions.has(id));
    for (const id of come) {
      const partition = new AssignedPartition(id, () => this.window, this.leaving.get(id) ?? Promise.resolve(), () => this.dispatch());
      this.partitions.set(id, partition);
      if (this.closed) partition.takeAway('the subscription closes');
    }
    // A pause of before it went is remembered by the client.
    if (come.length > 0) kafka?.resume([{ topic: this.topic, partitions: come }]);
    if (come.length + gone.length > 0) this.log.info({ partitions: ids.length, gained: come.length, lost: gone.length }, 'partitions assigned');
    this.commitSoon(COMMIT_EVERY_MS);
  }

  private get window(): number {
    return Math.max(MIN_WINDOW, Math.floor(WINDOW / this.partitions.size));
  }

  private async takeBatch({ batch, resolveOffset, pause: pausePartition }: EachBatchPayload): Promise<void> {
    const partition = this.partitions.get(batch.partition);
    // Not resolved: the next owner of the partition fetches it again.
    if (this.closed) pausePartition();
    if (this.closed || !partition || partition.signal.aborted) return;
    for (const message of batch.messages) this.take(partition, message);
    resolveOffset(batch.lastOffset());
    this.dispatch();
    this.commitSoon(COMMIT_EVERY_MS);
    if (partition.hasRoom || (await roomWithin(partition, WAIT_FOR_ROOM_MS)) || partition.hasRoom) return;
    const resume = pausePartition();
    partition.whenRoom(resume);
  }

  private take(partition: AssignedPartition, message: KafkaMessage): void {
    const offset = Number(message.offset);
    if (!partition.progress.take(offset)) return;
    const record = { key: message.key, value: message.value, headers: message.headers, timestamp: message.timestamp };
    const attributes = attributesOf(record);
    if (this.concerns(attributes?.type, headerOf(record, REPLAY_FOR))) {
      partition.hold({ offset, key: attributes?.key ?? record.key?.toString() ?? '', attributes, record, attempt: 1 });
    } else {
      partition.progress.finish(offset);
    }
  }

  /** True when the group handles the record. Every group handles one that cannot be decoded. */
  private concerns(type: string | undefined, replayFor: string | undefined): boolean {
    if (replayFor !== undefined && replayFor !== this.options.group) return false;
    return type === undefined || (isEventType(type) && this.member.handles(type));
  }

  /** Starts all that may start now, the partitions taking turns. */
  private dispatch(): void {
    while (this.member.load < 1 && !this.closed) {
      const partition = this.nextReady();
      const entry = partition?.lanes.take();
      if (!partition || !entry) return;
      partition.begin();
      void this.member.track(inTrace(entry.attributes?.traceparent, () => this.deliver(partition, entry))).then(() => {
        partition.end();
        this.dispatch();
      });
    }
  }

  private nextReady(): AssignedPartition | undefined {
    for (const [id, partition] of this.partitions) {
      if (!partition.hasReady) continue;
      this.partitions.delete(id);
      this.partitions.set(id, partition);
      return partition;
    }
    return undefined;
  }

  private async deliver(partition: AssignedPartition, entry: Entry): Promise<void> {
    const { signal } = partition;
    const result = await this.attempt(entry, signal);
    if (result.outcome === 'failed') {
      this.log.warn(factsOf(entry, result.error), 'handling an event failed');
      const delay = isReadable(entry) ? this.member.failed(entry, result.error, this.dependencies.random()) : undefined;
      if (delay !== undefined && !signal.aborted) {
        this.retryLater(partition, entry, delay);
        return;
      }
    }
    if (result.outcome === 'interrupted') return;
    if (result.outcome === 'failed' && !(await this.bury(partition, entry, result.error))) return;
    partition.release(entry);
    this.commitSoon(COMMIT_EVERY_MS);
  }

  private async attempt(entry: Entry, signal: AbortSignal): Promise<AttemptOutcome> {
    return this.member.attempt(() => decodeEvent(entry.attributes, entry.record.value), entry.attempt, signal);
  }

  /** Frees the member's place meanwhile; the key waits. */
  private retryLater(partition: AssignedPartition, entry: Entry, delay: number): void {
    partition.after(delay, () => {
      partition.lanes.again(entry.key);
      this.dispatch();
    });
  }

  /** Makes a dead letter of the entry, unless giving up has settled it. @returns false when the partition was taken away before */
  private async bury({ id, signal }: AssignedPartition, entry: Entry, error: unknown): Promise<boolean> {
    if (signal.aborted) return false;
    const end = isReadable(entry) ? await this.member.giveUp(() => decodeEvent(entry.attributes, entry.record.value), error, signal) : 'dead letter';
    if (end !== 'dead letter') return end === 'settled';
    const { group } = this.options;
    const letter = toDeadLetterRecord(entry, {
      group,
      topic: this.options.topic,
      partition: id,
      reason: failureReason(error),
      attempts: entry.attempt,
      failedAt: this.dependencies.clock.now().toISOString(),
    });
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        await this.dependencies.publisher.send([{ ...letter, topic: deadLetterTopic(this.topic) }]);
        this.log.error(factsOf(entry, error), 'an event became a dead letter');
        this.member.deadLettered();
        return true;
      } catch (thrown) {
        this.log.error({ err: thrown, event_id: entry.attributes?.id, failures }, 'a dead letter could not be stored; trying again');
        await pause(retryDelay(failures, DEAD_LETTER_BACK_OFF, this.dependencies.random()), signal);
      }
    }
    return false;
  }

  private commitSoon(milliseconds: number): void {
    if (this.commitTimer !== undefined || this.ended) return;
    this.commitTimer = setTimeout(() => {
      this.commitTimer = undefined;
      void this.commit();
    }, milliseconds);
  }

  /** Commits the watermarks that the broker does not have yet. */
  private commit(): Promise<void> {
    this.committing ??= this.commitOnce().finally(() => {
      this.committing = undefined;
      // Records were finished while the broker answered; their timer may have come too early.
      if (this.kafka && this.behind().length > 0) this.commitSoon(COMMIT_EVERY_MS);
    });
    return this.committing;
  }

  private behind(): { partition: AssignedPartition; watermark: number }[] {
    return [...this.partitions.values()].flatMap((partition) => {
      const { watermark } = partition.progress;
      return watermark === undefined || watermark === partition.committed ? [] : [{ partition, watermark }];
    });
  }

  private async commitOnce(): Promise<void> {
    const { kafka } = this;
    const behind = this.behind();
    if (!kafka || behind.length === 0) return;
    try {
      await kafka.commitOffsets(
        behind.map(({ partition, watermark }) => ({ topic: this.topic, partition: partition.id, offset: String(watermark) })),
      );
      for (const { partition, watermark } of behind) partition.committed = watermark;
    } catch (error) {
      // While the group changes; what moved meanwhile is delivered again to its new owner.
      this.log.info({ reason: error instanceof Error ? error.message : String(error) }, 'committing offsets failed; trying again');
      this.commitSoon(COMMIT_RETRY_MS);
    }
  }
}

const factsOf = ({ attributes, attempt, key, offset }: Entry, error: unknown) => ({ err: error, event_id: attributes?.id, event_type: attributes?.type, key, offset, attempt });

/** True when another try could read it. */
function isReadable({ attributes, record }: Entry): boolean {
  try {
    decodeEvent(attributes, record.value);
    return true;
  } catch {
    return false;
  }
}

const roomWithin = (partition: AssignedPartition, milliseconds: number): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), milliseconds);
    partition.whenRoom(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
