import { randomBytes } from 'node:crypto';
import { TOPICS, type Topic, type TopicDefinition } from '@parlance/contracts';
import { silentLogger, systemClock, type Logger } from '@parlance/platform';
import type { Admin } from 'kafkajs';
import { ensureTopics, kafkaClient, KafkaEventBus, parseKafkaUrl, topicSpecs } from '../src/kafka/index.js';

interface PlaygroundOptions {
  /** Default: those of KAFKA_BROKERS. */
  brokers?: string;
  /** Of parlance.jobs.v1; the other topics have one each. */
  partitions?: number;
  /** Default: longer than any stop of a busy machine. Shorter where a test waits for the end of a session. */
  sessionTimeoutMs?: number;
}

/** Topics of its own on a real broker, and buses on them. */
export class KafkaPlayground {
  readonly prefix = `test-${randomBytes(5).toString('hex')}.`;
  readonly url: string;
  readonly admin: Admin;

  constructor({ brokers = brokersOfTheEnvironment(), sessionTimeoutMs = 30_000 }: PlaygroundOptions = {}) {
    this.url = `kafka://${brokers}?topic-prefix=${this.prefix}&session-timeout-ms=${sessionTimeoutMs}&heartbeat-interval-ms=250`;
    this.admin = kafkaClient(parseKafkaUrl(this.url), silentLogger()).admin();
  }

  static async create(options: PlaygroundOptions = {}): Promise<KafkaPlayground> {
    const playground = new KafkaPlayground(options);
    await playground.admin.connect();
    await ensureTopics(playground.admin, smallCatalogue(options.partitions ?? 4), { topicPrefix: playground.prefix });
    return playground;
  }

  connect(log: Logger = silentLogger(), drainMs?: number): Promise<KafkaEventBus> {
    return KafkaEventBus.open(this.url, { clock: systemClock, log, graceMs: 50, drainMs });
  }

  async dispose(): Promise<void> {
    await this.admin.deleteTopics({ topics: topicSpecs(TOPICS, this.prefix).map(({ name }) => name) });
    await this.admin.disconnect();
  }
}

/** The real one has so many partitions that making them takes longer than most tests. */
export const smallCatalogue = (partitions: number): Record<Topic, TopicDefinition> =>
  Object.fromEntries(
    Object.entries<TopicDefinition>(TOPICS).map(([topic, definition]) => [topic, { ...definition, partitions: topic === 'parlance.jobs.v1' ? partitions : 1 }]),
  ) as Record<Topic, TopicDefinition>;

function brokersOfTheEnvironment(): string {
  const brokers = process.env['KAFKA_BROKERS'];
  if (!brokers) throw new Error('KAFKA_BROKERS is not set');
  return brokers;
}
