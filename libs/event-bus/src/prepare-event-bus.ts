import type { Logger } from '@parlance/platform';
import type { TopicChange } from './kafka/topics.js';

export type { TopicChange };

interface PreparationOptions {
  log: Logger;
  /** The password of the user that a `kafka:` URL names. */
  kafkaPassword?: string | undefined;
  /** Copies of each partition. Default: what the broker is set to. */
  replicationFactor?: number | undefined;
}

/**
 * Makes on the bus's server what the bus needs there: the topics of the catalogue. May be repeated at any time.
 * @returns what was done; undefined for a bus without a server, which needs nothing
 * @throws ConfigError when the URL is wrong or the user is refused, AppError when no broker answers
 */
export async function prepareEventBus(url: string, { log, kafkaPassword, replicationFactor }: PreparationOptions): Promise<TopicChange[] | undefined> {
  if (!url.startsWith('kafka:')) return undefined;
  const [{ ensureTopics, kafkaClient, parseKafkaUrl }, { fromKafkaError }] = await Promise.all([import('./kafka/index.js'), import('./kafka/kafka-errors.js')]);
  const settings = parseKafkaUrl(url, kafkaPassword);
  const admin = kafkaClient(settings, log).admin();
  try {
    await admin.connect();
    return await ensureTopics(admin, undefined, { topicPrefix: settings.topicPrefix, ...(replicationFactor && { replicationFactor }) });
  } catch (error) {
    throw fromKafkaError(error);
  } finally {
    await admin.disconnect();
  }
}
