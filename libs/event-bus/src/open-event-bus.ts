import { ConfigError, type Clock, type Logger } from '@parlance/platform';
import type { Durability } from '@parlance/platform/sqlite';
import { z } from 'zod';
import { SqliteEventBus } from './embedded/sqlite-event-bus.js';
import type { ClosingTimes } from './delivery/group-member.js';
import type { EventBus } from './event-bus.js';

export interface EventBusDependencies extends ClosingTimes {
  clock: Clock;
  log: Logger;
  /** The password of the user that a `kafka:` URL names. */
  kafkaPassword?: string | undefined;
  /** Durability of the embedded bus. Default: power. */
  durability?: Durability | undefined;
}

/** Secrets, which a URL does not hold. */
export const eventBusConfig = {
  KAFKA_PASSWORD: z.string().optional().describe('Password of the user in EVENT_BUS_URL=kafka://…?sasl=…&username=…'),
} as const;

/**
 * The event bus that the URL names: `sqlite:<path of a file>` or `kafka://host:9092,…?…`.
 * @throws ConfigError when no adapter takes the URL, or Kafka answers that the user or the topics are wrong.
 */
export async function openEventBus(url: string, dependencies: EventBusDependencies): Promise<EventBus> {
  const scheme = url.slice(0, url.indexOf(':') + 1);
  const rest = url.slice(scheme.length);
  if (scheme === 'sqlite:' && rest !== '') return SqliteEventBus.open(rest, dependencies);
  if (scheme === 'kafka:') {
    // Not for those who do not use it: the client takes memory.
    const { KafkaEventBus } = await import('./kafka/kafka-event-bus.js');
    return KafkaEventBus.open(url, { ...dependencies, password: dependencies.kafkaPassword });
  }
  throw new ConfigError([`EVENT_BUS_URL: no event bus for ${scheme || 'a URL without a scheme'}; it must be sqlite:<file> or kafka://<brokers>`]);
}
