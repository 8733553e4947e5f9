import { setTimeout as pause } from 'node:timers/promises';
import { AppError, ConfigError, retryDelay, type Logger } from '@parlance/platform';
import kafkajs, { type Admin, type Consumer, type ConsumerConfig, type Kafka as KafkaClient, type Producer } from 'kafkajs';
import type { RetryPolicy } from '../event-bus.js';
import { busClosed, fromKafkaError, missingTopics } from './kafka-errors.js';
import { kafkaLogCreator, kafkaLogLevel } from './kafka-log.js';
import './kafkajs-patches/index.js';
import type { KafkaSettings } from './kafka-url.js';
import { findMissingTopics } from './topics.js';

const { Kafka, Partitioners } = kafkajs;

/** While no broker answers. */
const BACK_OFF: RetryPolicy = { maxAttempts: Infinity, initialDelayMs: 200, maxDelayMs: 10_000 };
/** Of the client's requests; longer outages are for those who call it. All numbers are given, as it has others in tests. */
const RETRY = { initialRetryTime: 100, multiplier: 2, factor: 0.2, maxRetryTime: 2000, retries: 5 };
const ADMIN_RETRY = { ...RETRY, retries: 3 };
/** A consumer keeps what it has in hand for about as long as a broker takes to come back. */
const CONSUMER_RETRY = { ...RETRY, maxRetryTime: 5000, retries: 10 };
const REQUEST_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5000;
const METADATA_MAX_AGE_MS = 60_000;
const CHECK_WITHIN_MS = 1800;
/** Milliseconds that a fetch waits for something new: how long pausing, joining and leaving may take. */
const MAX_WAIT_MS = 300;
const MAX_BYTES_PER_PARTITION = 128 * 1024;
/** Time that the members of a group have to come back when it changes. */
const REBALANCE_TIMEOUT_MS = 30_000;

type State = { is: 'connecting' } | { is: 'ready' } | { is: 'failed'; error: AppError | ConfigError };

/** Of one partition: the first record it has, and the next it will get. */
interface PartitionOffsets {
  topic: string;
  partition: number;
  first: number;
  next: number;
}

export const kafkaClient = (settings: KafkaSettings, log: Logger): KafkaClient =>
  new Kafka({
    clientId: 'parlance',
    brokers: settings.brokers,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    authenticationTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    enforceRequestTimeout: true,
    retry: RETRY,
    logCreator: kafkaLogCreator(log),
    logLevel: kafkaLogLevel(log),
    ...(settings.ssl && { ssl: settings.ssl }),
    ...(settings.sasl && { sasl: settings.sasl }),
  });

/** The way to the brokers: waits for them, and makes producers and consumers. */
export class KafkaConnection {
  readonly admin: Admin;
  private readonly kafka: KafkaClient;
  private readonly closing = new AbortController();
  private readonly connecting: Promise<void>;
  private state: State = { is: 'connecting' };
  private firstTryDone: () => void = () => {};
  private readonly firstTry = new Promise<void>((resolve) => (this.firstTryDone = resolve));

  constructor(
    readonly settings: KafkaSettings,
    private readonly log: Logger,
  ) {
    this.kafka = kafkaClient(settings, log);
    this.admin = this.kafka.admin({ retry: ADMIN_RETRY });
    this.connecting = this.connect();
    this.connecting.catch(() => {});
  }

  /** Resolves when a broker has answered or could not be reached once. @throws ConfigError when it answered that the settings are wrong */
  async tried(): Promise<void> {
    await this.firstTry;
    if (this.state.is === 'failed') throw this.state.error;
  }

  /** Resolves once the brokers answer and have the topics. @throws ConfigError when they do not have them, AppError when closed meanwhile */
  ready(): Promise<void> {
    return this.connecting;
  }

  /** @throws AppError, ConfigError when the brokers cannot be used now */
  async check(): Promise<void> {
    if (this.closing.signal.aborted) throw busClosed();
    if (this.state.is === 'failed') throw this.state.error;
    if (this.state.is === 'connecting') throw unavailable('Kafka has not answered yet.');
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(unavailable('Kafka does not respond.')), CHECK_WITHIN_MS);
    });
    try {
      await Promise.race([this.admin.describeCluster(), late]);
    } catch (error) {
      throw fromKafkaError(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * First and next offset of each partition of each topic. Waits while brokers are away or choose leaders: a service that
   * starts right after its topics were created is not to fail for that.
   * @throws ConfigError when a topic is missing or access refused, AppError when closed meanwhile
   */
  async offsetsOf(topics: readonly string[]): Promise<PartitionOffsets[]> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.askOffsets(topics);
      } catch (error) {
        const known = fromKafkaError(error, topics);
        if (known instanceof ConfigError) throw known;
        if (this.closing.signal.aborted) throw busClosed();
        this.log.warn({ failures, reason: reasonOf(error) }, 'Kafka did not return the offsets of its topics; trying again');
        await pause(retryDelay(failures, BACK_OFF, Math.random()), undefined, { signal: this.closing.signal }).catch(() => {});
      }
    }
  }

  createProducer(): Producer {
    return this.kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      // murmur2 by key, as clients of other languages partition.
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
      metadataMaxAge: METADATA_MAX_AGE_MS,
      retry: RETRY,
    });
  }

  createConsumer(config: Pick<ConsumerConfig, 'groupId' | 'partitionAssigners'>): Consumer {
    return this.kafka.consumer({
      ...config,
      sessionTimeout: this.settings.sessionTimeoutMs,
      heartbeatInterval: this.settings.heartbeatIntervalMs,
      rebalanceTimeout: REBALANCE_TIMEOUT_MS,
      maxWaitTimeInMs: MAX_WAIT_MS,
      maxBytesPerPartition: MAX_BYTES_PER_PARTITION,
      metadataMaxAge: METADATA_MAX_AGE_MS,
      allowAutoTopicCreation: false,
      // ResilientConsumer starts it again.
      retry: { ...CONSUMER_RETRY, restartOnFailure: async () => false },
    });
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.connecting.catch(() => {});
    await this.admin.disconnect();
  }

  /** With a client of its own: the client gives up at the first answer that a leader has changed, and keeps what it knew of leaders for minutes. */
  private async askOffsets(topics: readonly string[]): Promise<PartitionOffsets[]> {
    const admin = this.kafka.admin({ retry: ADMIN_RETRY });
    try {
      await admin.connect();
      const offsets = await Promise.all(topics.map(async (topic) => (await admin.fetchTopicOffsets(topic)).map((of) => ({ topic, ...of }))));
      return offsets.flat().map(({ topic, partition, low, high }) => ({ topic, partition, first: Number(low), next: Number(high) }));
    } finally {
      await admin.disconnect().catch((error: unknown) => this.log.debug({ err: error }, 'Kafka client did not disconnect cleanly'));
    }
  }

  private async connect(): Promise<void> {
    for (let failures = 0; !this.closing.signal.aborted; ) {
      try {
        await this.admin.connect();
        const missing = await findMissingTopics(this.admin, this.settings.topicPrefix);
        if (missing.length > 0) throw missingTopics(missing);
        this.state = { is: 'ready' };
        this.firstTryDone();
        this.log.info({ brokers: this.settings.brokers }, 'connected to Kafka');
        return;
      } catch (error) {
        failures += 1;
        const known = fromKafkaError(error);
        if (!(known instanceof AppError)) this.fail(known);
        this.log.warn({ brokers: this.settings.brokers, failures, reason: reasonOf(error) }, 'Kafka cannot be reached; trying again');
        this.firstTryDone();
        await pause(retryDelay(failures, BACK_OFF, Math.random()), undefined, { signal: this.closing.signal }).catch(() => {});
      }
    }
    this.firstTryDone();
    throw busClosed();
  }

  private fail(error: ConfigError): never {
    this.state = { is: 'failed', error };
    this.firstTryDone();
    throw error;
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const unavailable = (message: string): AppError => new AppError({ kind: 'unavailable', code: 'event_bus_unavailable', message });
