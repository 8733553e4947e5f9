import { withTimeout, type Logger } from '@parlance/platform';
import type { Producer } from 'kafkajs';
import type { OutgoingRecord } from './cloud-event-record.js';
import { busClosed, fromKafkaError } from './kafka-errors.js';

interface TopicRecord extends OutgoingRecord {
  topic: string;
}

interface Waiting {
  records: readonly TopicRecord[];
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** In one request to a broker; bounds what one failure puts to another try. */
const MAX_RECORDS = 500;
/** Below `message.max.bytes`, which a broker has at 1 MiB, even if all records are for one partition. */
const MAX_BYTES = 700_000;
/** The size of headers and framing, roughly. */
const RECORD_OVERHEAD = 300;
/** Milliseconds that closing waits for what is being sent. */
const CLOSE_WITHIN_MS = 5000;
const ACKS_OF_ALL_REPLICAS = -1;
const ACK_TIMEOUT_MS = 8000;

/**
 * Sends records one request after the other, so that they stay in order, each with all that waits by then.
 * A producer that failed is replaced: whether its last request arrived is unknown, and its sequence numbers, used again
 * for other records, would make the broker take those for repetitions.
 */
export class RecordPublisher {
  private queue: Waiting[] = [];
  private running: Promise<void> | undefined;
  private producer: Producer | undefined;
  private closed = false;

  constructor(
    private readonly createProducer: () => Producer,
    private readonly log: Logger,
  ) {}

  /** Resolves once all are durable on all replicas in sync, in the order given. @throws AppError, ConfigError */
  async send(records: readonly TopicRecord[]): Promise<void> {
    for (const part of inParts(records)) await this.enqueue(part);
  }

  /** Sends what waits, as far as that is possible soon. */
  async close(): Promise<void> {
    this.closed = true;
    if (this.running) await withTimeout(CLOSE_WITHIN_MS, this.running, () => undefined);
    for (const { reject } of this.queue.splice(0)) reject(busClosed());
    await this.retire();
  }

  private enqueue(records: readonly TopicRecord[]): Promise<void> {
    if (this.closed) return Promise.reject(busClosed());
    return new Promise((resolve, reject) => {
      this.queue.push({ records, resolve, reject });
      this.running ??= this.run();
    });
  }

  private async run(): Promise<void> {
    // Sends all events that are published in this turn of the event loop together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.queue.length > 0) {
      const batch = this.takeSome();
      const error = await this.trySend(batch);
      if (error === undefined) batch.forEach(({ resolve }) => resolve());
      else if (batch.length === 1 || error.retryable) batch.forEach(({ reject }) => reject(error.thrown));
      else await this.sendEach(batch);
    }
    // In the same turn of the event loop as the last look at the queue: a caller that was just answered may add to it.
    this.running = undefined;
  }

  /** One of them is wrong for good; the others are not to suffer for it. */
  private async sendEach(batch: readonly Waiting[]): Promise<void> {
    for (const waiting of batch) {
      const error = await this.trySend([waiting]);
      if (error) waiting.reject(error.thrown);
      else waiting.resolve();
    }
  }

  private async trySend(batch: readonly Waiting[]): Promise<{ thrown: Error; retryable: boolean } | undefined> {
    try {
      this.producer ??= await this.connect();
      const topicMessages = [...Map.groupBy(batch.flatMap(({ records }) => records), ({ topic }) => topic)];
      await this.producer.sendBatch({
        acks: ACKS_OF_ALL_REPLICAS,
        timeout: ACK_TIMEOUT_MS,
        topicMessages: topicMessages.map(([topic, messages]) => ({ topic, messages })),
      });
      return undefined;
    } catch (error) {
      this.log.warn({ err: error }, 'sending events failed');
      void this.retire();
      const thrown = fromKafkaError(error, [...new Set(batch.flatMap(({ records }) => records.map(({ topic }) => topic)))]);
      return { thrown, retryable: 'retryable' in thrown && thrown.retryable };
    }
  }

  private async connect(): Promise<Producer> {
    const producer = this.createProducer();
    await producer.connect();
    return producer;
  }

  private async retire(): Promise<void> {
    const { producer } = this;
    this.producer = undefined;
    await producer?.disconnect().catch((error: unknown) => this.log.debug({ err: error }, 'Kafka producer did not disconnect cleanly'));
  }

  private takeSome(): Waiting[] {
    let count = 0;
    let records = 0;
    let bytes = 0;
    for (const waiting of this.queue) {
      records += waiting.records.length;
      bytes += sizeOf(waiting.records);
      if (count > 0 && (records > MAX_RECORDS || bytes > MAX_BYTES)) break;
      count += 1;
    }
    return this.queue.splice(0, count);
  }
}

const recordSize = ({ value }: TopicRecord): number => RECORD_OVERHEAD + (value === null ? 0 : Buffer.byteLength(value));
const sizeOf = (records: readonly TopicRecord[]): number => records.reduce((sum, record) => sum + recordSize(record), 0);

function inParts(records: readonly TopicRecord[]): TopicRecord[][] {
  const parts: TopicRecord[][] = [];
  let part: TopicRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = recordSize(record);
    if (part.length > 0 && (part.length === MAX_RECORDS || bytes + size > MAX_BYTES)) {
      parts.push(part);
      part = [];
      bytes = 0;
    }
    part.push(record);
    bytes += size;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}
