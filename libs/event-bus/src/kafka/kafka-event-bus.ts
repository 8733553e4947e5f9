import { AppError, type Clock, type Logger } from '@parlance/platform';
import type { KafkaMessage } from 'kafkajs';
import type { ClosingTimes } from '../delivery/group-member.js';
import type { Consumer, EventBus, EventEnvelope, Follower, OutboxEvent, Subscription } from '../event-bus.js';
import { topicOfEvent } from '../event-json.js';
import { attributesOf, decodeEvent, headerOf, REPLAY_FOR, toRecord } from './cloud-event-record.js';
import { GroupSubscription } from './group-subscription.js';
import { KafkaConnection } from './kafka-connection.js';
import { KafkaDeadLetters } from './kafka-dead-letters.js';
import { busClosed, fromKafkaError } from './kafka-errors.js';
import { parseKafkaUrl, type KafkaSettings } from './kafka-url.js';
import { RecordPublisher } from './record-publisher.js';
import { TopicTail } from './topic-tail.js';

interface KafkaEventBusOptions extends ClosingTimes {
  clock: Clock;
  log: Logger;
  random?: () => number;
}

type Reader = Subscription & { readonly isJoined: boolean; start(): Promise<void> };

/** The bus of several processes: Kafka topics, CloudEvents 1.0 in binary content mode. */
export class KafkaEventBus implements EventBus {
  readonly deadLetters: KafkaDeadLetters;
  private readonly publisher: RecordPublisher;
  private readonly readers = new Set<Reader>();
  private closed: Promise<void> | undefined;

  constructor(
    private readonly connection: KafkaConnection,
    private readonly options: KafkaEventBusOptions,
  ) {
    this.publisher = new RecordPublisher(() => connection.createProducer(), options.log);
    this.deadLetters = new KafkaDeadLetters(connection, this.publisher, options.log);
  }

  /**
   * Resolves even when no broker answers: then the bus keeps trying, `check` fails, and everything else waits.
   * @param password of the user in the URL
   * @throws ConfigError when the URL is wrong, the user is refused or topics are missing
   */
  static async open(url: string, options: KafkaEventBusOptions & { password?: string | undefined }): Promise<KafkaEventBus> {
    return KafkaEventBus.connect(parseKafkaUrl(url, options.password), options);
  }

  static async connect(settings: KafkaSettings, options: KafkaEventBusOptions): Promise<KafkaEventBus> {
    const connection = new KafkaConnection(settings, options.log);
    try {
      await connection.tried();
    } catch (error) {
      await connection.close();
      throw error;
    }
    return new KafkaEventBus(connection, options);
  }

  async publish(events: readonly OutboxEvent[]): Promise<void> {
    const { topicPrefix } = this.connection.settings;
    const records = events.map((event) => ({ topic: `${topicPrefix}${topicOfEvent(event)}`, ...toRecord(event) }));
    await this.connection.ready();
    await this.publisher.send(records);
  }

  /** Resolves once the subscriber is a member of its group. */
  async subscribe(consumer: Consumer): Promise<Subscription> {
    const { random = Math.random, log, clock } = this.options;
    const { connection, publisher } = this;
    return this.start(new GroupSubscription(consumer, { connection, publisher, clock, log, random, times: this.options }));
  }

  async follow(follower: Follower): Promise<Subscription> {
    const topic = `${this.connection.settings.topicPrefix}${follower.topic}`;
    const log = this.options.log.child({ topic: follower.topic });
    const show = (_: string, message: KafkaMessage) => showTo(follower, message, log);
    return this.start(new TopicTail({ topics: [topic], from: 'now', show }, this.connection, log));
  }

  /** Dead letters alone: Kafka keeps the events themselves as long as their topic says. */
  async erase(key: string, { except }: { except: string }): Promise<void> {
    await this.deadLetters.eraseKey(key, except);
  }

  async check(): Promise<void> {
    await this.connection.check();
    if ([...this.readers].every(({ isJoined }) => isJoined)) return;
    throw new AppError({ kind: 'unavailable', code: 'event_bus_unavailable', message: 'A consumer is currently not a member of its group.' });
  }

  close(): Promise<void> {
    this.closed ??= this.closeAll();
    return this.closed;
  }

  private async closeAll(): Promise<void> {
    await Promise.all([...this.readers].map((reader) => reader.close()));
    await this.deadLetters.close();
    await this.publisher.close();
    await this.connection.close();
  }

  private async start(reader: Reader): Promise<Subscription> {
    await this.connection.ready();
    if (this.closed) throw busClosed();
    this.readers.add(reader);
    const leave = () => reader.close().finally(() => this.readers.delete(reader));
    try {
      await reader.start();
    } catch (error) {
      await leave();
      throw fromKafkaError(error);
    }
    return { close: leave };
  }
}

function showTo({ handlers }: Follower, message: KafkaMessage, log: Logger): void {
  const attributes = attributesOf(message);
  if (!attributes || !Object.hasOwn(handlers, attributes.type) || headerOf(message, REPLAY_FOR) !== undefined) return;
  try {
    const event = decodeEvent(attributes, message.value);
    (handlers[event.type] as (event: EventEnvelope) => void)(event);
  } catch (error) {
    log.error({ err: error, event_id: attributes.id, event_type: attributes.type }, 'following an event failed');
  }
}
