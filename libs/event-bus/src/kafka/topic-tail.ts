import { randomUUID } from 'node:crypto';
import type { Logger } from '@parlance/platform';
import type { Consumer, EachBatchPayload, KafkaMessage } from 'kafkajs';
import type { Subscription } from '../event-bus.js';
import type { KafkaConnection } from './kafka-connection.js';
import { ResilientConsumer } from './resilient-consumer.js';

interface TopicTailOptions {
  /** Full names. */
  topics: string[];
  /** The offsets to begin with on the partitions there are now; on those that come later, at their beginning. */
  from: 'beginning' | 'now';
  /** Each record once, in order within its partition; must not throw. */
  show: (topic: string, message: KafkaMessage) => void;
}

interface Waiter {
  ends: ReadonlyMap<string, number>;
  resolve: () => void;
}

/**
 * Reads all of some topics for this process alone. The client knows groups only, so it is the one member of a group with a
 * unique name; it keeps its position itself, and the broker forgets the group with its member.
 */
export class TopicTail implements Subscription {
  /** Next offset of each partition. */
  private readonly positions = new Map<string, number>();
  private readonly consumer: ResilientConsumer;
  private waiters: Waiter[] = [];
  private closed: Promise<void> | undefined;

  constructor(
    private readonly options: TopicTailOptions,
    private readonly connection: KafkaConnection,
    log: Logger,
  ) {
    const groupId = `${connection.settings.topicPrefix}parlance.tail.${randomUUID()}`;
    this.consumer = new ResilientConsumer({
      topics: options.topics,
      create: () => connection.createConsumer({ groupId }),
      partitionsConsumedConcurrently: 1,
      events: {
        joined: (assignment, consumer) => this.resume(assignment, consumer),
        rebalancing: () => {},
        lost: () => {},
        batch: async (payload) => this.showBatch(payload),
      },
      log,
    });
  }

  get isJoined(): boolean {
    return this.consumer.joined;
  }

  async start(): Promise<void> {
    const begin = this.options.from === 'now' ? 'next' : 'first';
    for (const [partition, offset] of await this.offsets(begin)) this.positions.set(partition, offset);
    await this.consumer.start();
  }

  /** Resolves once everything that is in the topics now was shown, or it is closed. */
  async caughtUp(): Promise<void> {
    const ends = await this.offsets('next');
    if (this.hasReached(ends)) return;
    await new Promise<void>((resolve) => this.waiters.push({ ends, resolve }));
  }

  close(): Promise<void> {
    this.closed ??= this.consumer.close().then(() => this.waiters.splice(0).forEach(({ resolve }) => resolve()));
    return this.closed;
  }

  private async offsets(which: 'first' | 'next'): Promise<Map<string, number>> {
    const offsets = await this.connection.offsetsOf(this.options.topics);
    return new Map(offsets.map((of) => [nameOf(of.topic, of.partition), of[which]]));
  }

  private resume(assignment: ReadonlyMap<string, readonly number[]>, consumer: Consumer): void {
    for (const [topic, partitions] of assignment) {
      for (const partition of partitions) {
        const offset = this.positions.get(nameOf(topic, partition));
        if (offset !== undefined) consumer.seek({ topic, partition, offset: String(offset) });
      }
    }
  }

  private showBatch({ batch, resolveOffset }: EachBatchPayload): void {
    const partition = nameOf(batch.topic, batch.partition);
    for (const message of batch.messages) {
      const offset = Number(message.offset);
      if (offset < (this.positions.get(partition) ?? 0)) continue;
      this.positions.set(partition, offset + 1);
      if (!this.closed) this.options.show(batch.topic, message);
    }
    const end = Number(batch.lastOffset()) + 1;
    if (end > (this.positions.get(partition) ?? 0)) this.positions.set(partition, end);
    resolveOffset(batch.lastOffset());
    const reached = this.waiters.filter(({ ends }) => this.hasReached(ends));
    this.waiters = this.waiters.filter((waiter) => !reached.includes(waiter));
    reached.forEach(({ resolve }) => resolve());
  }

  private hasReached(ends: ReadonlyMap<string, number>): boolean {
    return [...ends].every(([partition, end]) => (this.positions.get(partition) ?? 0) >= end);
  }
}

const nameOf = (topic: string, partition: number): string => `${topic}/${partition}`;
