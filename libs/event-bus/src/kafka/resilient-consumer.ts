import { pause, retryDelay, withTimeout, type Logger } from '@parlance/platform';
import type { Consumer, EachBatchPayload } from 'kafkajs';

interface ConsumerEvents {
  /** The member has these partitions from now on; those it had and still has it kept all the while. */
  joined(partitions: ReadonlyMap<string, readonly number[]>, consumer: Consumer): void;
  /** A change of the group begins, after which partitions may be another's. */
  rebalancing(): void;
  /** The member is out of the group: another member has its partitions, or none. */
  lost(): void;
  batch(payload: EachBatchPayload): Promise<void>;
}

interface ResilientConsumerOptions {
  topics: string[];
  create: () => Consumer;
  partitionsConsumedConcurrently: number;
  events: ConsumerEvents;
  log: Logger;
}

const BACK_OFF = { initialDelayMs: 200, maxDelayMs: 10_000 };
/** Milliseconds that leaving the group may take before the session is left to time out. */
const LEAVE_WITHIN_MS = 5000;

/** A kafkajs consumer that begins anew after whatever ends it, until it is closed. */
export class ResilientConsumer {
  /** True while it is in its group. */
  joined = false;
  private readonly closing = new AbortController();
  private current: Consumer | undefined;
  private running: Promise<void> | undefined;
  /** Ends what `run` waits for. */
  private interrupt: (reason: string) => void = () => {};

  constructor(private readonly options: ResilientConsumerOptions) {}

  /** Resolves once it is in its group, or closed. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      this.running = this.run(resolve).finally(resolve);
    });
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.interrupt('closed');
    await this.running;
  }

  private async run(onFirstJoin: () => void): Promise<void> {
    for (let failures = 0; !this.closing.signal.aborted; ) {
      const consumer = this.options.create();
      const ended = this.untilEnded(consumer, () => {
        failures = 0;
        onFirstJoin();
      });
      void this.begin(consumer);
      const reason = await ended;
      if (this.joined) this.options.events.lost();
      this.joined = false;
      await this.dispose(consumer);
      if (this.closing.signal.aborted) return;
      failures += 1;
      this.options.log.warn({ reason, failures }, 'Kafka consumer ended; starting a new one');
      await pause(retryDelay(failures, BACK_OFF, Math.random()), this.closing.signal);
    }
  }

  /** Resolves to why the consumer came to its end; never rejects. */
  private untilEnded(consumer: Consumer, onJoin: () => void): Promise<string> {
    const { events } = this.options;
    const { GROUP_JOIN, CRASH, REBALANCING } = consumer.events;
    let member: string | undefined;
    return new Promise((resolve) => {
      this.interrupt = resolve;
      consumer.on(CRASH, ({ payload }) => resolve(payload.error.message));
      consumer.on(REBALANCING, () => events.rebalancing());
      consumer.on(GROUP_JOIN, ({ payload: { memberId, memberAssignment } }) => {
        // Somebody else may have had its partitions meanwhile, and fetches from before may still come in.
        if (member !== undefined && member !== memberId) {
          resolve('expelled from its consumer group');
          return;
        }
        member = memberId;
        this.joined = true;
        events.joined(new Map(Object.entries(memberAssignment)), consumer);
        onJoin();
      });
    });
  }

  private async begin(consumer: Consumer): Promise<void> {
    const { topics, partitionsConsumedConcurrently, events } = this.options;
    this.current = consumer;
    try {
      await consumer.connect();
      await consumer.subscribe({ topics, fromBeginning: true });
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently,
        eachBatch: async (payload) => {
          if (this.current === consumer && this.joined) await events.batch(payload);
        },
      });
    } catch (error) {
      this.interrupt(error instanceof Error ? error.message : String(error));
    }
  }

  private async dispose(consumer: Consumer): Promise<void> {
    this.current = undefined;
    const left = consumer.disconnect().catch((error: unknown) => this.options.log.debug({ err: error }, 'Kafka consumer did not disconnect cleanly'));
    await withTimeout(LEAVE_WITHIN_MS, left, () => undefined);
  }
}
