import { setTimeout as pause } from 'node:timers/promises';
import { DEAD_LETTERS, TOPICS, type TopicDefinition } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import kafkajs, { type Admin } from 'kafkajs';
import { deadLetterRetentionMs } from '../dead-letter-retention.js';
import { isUnknownTopic } from './kafka-errors.js';

const { ConfigResourceTypes, ConfigSource } = kafkajs;

export const deadLetterTopic = (topic: string): string => `${topic}.dead-letters`;

/** A topic as the broker is to have it. */
interface TopicSpec {
  name: string;
  partitions: number;
  settings: Record<string, string>;
}

interface TopicOptions {
  /** Default: none. */
  topicPrefix?: string;
  /** Copies of each partition. Default: what the broker is set to. */
  replicationFactor?: number;
}

export interface TopicChange {
  topic: string;
  change: 'created' | 'partitions raised' | 'settings changed' | 'unchanged';
  /** The exact difference, for the operator. */
  detail: string;
}

type Catalogue = Readonly<Record<string, TopicDefinition>>;

const LEADERS_WITHIN_MS = 30_000;
const LEADERS_POLL_MS = 100;
/** The broker chooses. */
const BROKER_DEFAULT = -1;

/** Every topic of the catalogue and its dead letters, by the broker's names. */
export function topicSpecs(catalogue: Catalogue, topicPrefix = ''): TopicSpec[] {
  return Object.entries(catalogue).flatMap(([topic, definition]) => {
    const { partitions, retentionMs, cleanup } = definition;
    const name = `${topicPrefix}${topic}`;
    const letters = { ...kept(DEAD_LETTERS.cleanup, deadLetterRetentionMs(definition)), 'max.compaction.lag.ms': String(DEAD_LETTERS.compactedWithinMs) };
    return [
      { name, partitions, settings: kept(cleanup, retentionMs) },
      { name: deadLetterTopic(name), partitions: DEAD_LETTERS.partitions, settings: letters },
    ];
  });
}

const kept = (cleanup: TopicDefinition['cleanup'], retentionMs: number) => ({ 'cleanup.policy': cleanup.join(), 'retention.ms': String(retentionMs) });

/** @returns those that the broker does not have, or does not show to this user */
export async function findMissingTopics(admin: Admin, topicPrefix: string, catalogue: Catalogue = TOPICS): Promise<string[]> {
  const existing = new Set(await admin.listTopics());
  return topicSpecs(catalogue, topicPrefix)
    .map(({ name }) => name)
    .filter((name) => !existing.has(name));
}

/**
 * Creates the topics that are missing, raises partitions (never lowers them: that would lose events) and sets retention
 * and compaction. Settings of other names are left as an operator made them. May be run again at any time.
 */
export async function ensureTopics(admin: Admin, catalogue: Catalogue = TOPICS, options: TopicOptions = {}): Promise<TopicChange[]> {
  const specs = topicSpecs(catalogue, options.topicPrefix);
  const existing = new Set(await admin.listTopics());
  const missing = specs.filter(({ name }) => !existing.has(name));
  const present = specs.filter(({ name }) => existing.has(name));
  await createTopics(admin, missing, options.replicationFactor ?? BROKER_DEFAULT);
  const changes = [
    ...missing.map(({ name, partitions }): TopicChange => ({ topic: name, change: 'created', detail: `${partitions} partitions` })),
    ...(await raisePartitions(admin, present)),
    ...(await changeSettings(admin, present)),
  ];
  const changed = new Set(changes.map(({ topic }) => topic));
  const unchanged = present.filter(({ name }) => !changed.has(name));
  return [...changes, ...unchanged.map(({ name }): TopicChange => ({ topic: name, change: 'unchanged', detail: '' }))];
}

async function createTopics(admin: Admin, specs: readonly TopicSpec[], replicationFactor: number): Promise<void> {
  if (specs.length === 0) return;
  // An acknowledged event is then on two brokers at least, and one may be away.
  const safe: Record<string, string> = replicationFactor >= 3 ? { 'min.insync.replicas': '2' } : {};
  await admin.createTopics({
    waitForLeaders: false,
    topics: specs.map(({ name, partitions, settings }) => ({
      topic: name,
      numPartitions: partitions,
      replicationFactor,
      configEntries: Object.entries({ ...settings, ...safe }).map(([setting, value]) => ({ name: setting, value })),
    })),
  });
  await untilLed(admin, specs);
}

/** A new topic is known to a broker, and has leaders, some time after it was made. The client's own waiting fails on the first. */
async function untilLed(admin: Admin, specs: readonly TopicSpec[]): Promise<void> {
  const topics = specs.map(({ name }) => name);
  for (const deadline = Date.now() + LEADERS_WITHIN_MS; ; ) {
    try {
      const metadata = await admin.fetchTopicMetadata({ topics });
      if (metadata.topics.every(({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0))) return;
    } catch (error) {
      if (!isUnknownTopic(error) || Date.now() > deadline) throw error;
    }
    if (Date.now() > deadline) throw new AppError({ kind: 'unavailable', code: 'event_bus_unavailable', message: 'New topics have no leaders yet.' });
    await pause(LEADERS_POLL_MS);
  }
}

async function raisePartitions(admin: Admin, specs: readonly TopicSpec[]): Promise<TopicChange[]> {
  if (specs.length === 0) return [];
  const { topics } = await admin.fetchTopicMetadata({ topics: specs.map(({ name }) => name) });
  const counts = new Map(topics.map(({ name, partitions }) => [name, partitions.length]));
  const few = specs.filter(({ name, partitions }) => (counts.get(name) ?? partitions) < partitions);
  if (few.length > 0) {
    await admin.createPartitions({ topicPartitions: few.map(({ name, partitions }) => ({ topic: name, count: partitions })) });
  }
  return few.map(({ name, partitions }) => ({ topic: name, change: 'partitions raised', detail: `${counts.get(name)} → ${partitions}` }));
}

async function changeSettings(admin: Admin, specs: readonly TopicSpec[]): Promise<TopicChange[]> {
  if (specs.length === 0) return [];
  const described = await admin.describeConfigs({
    includeSynonyms: false,
    resources: specs.map(({ name }) => ({ type: ConfigResourceTypes.TOPIC, name })),
  });
  const changes: TopicChange[] = [];
  for (const { resourceName, configEntries } of described.resources) {
    const spec = specs.find(({ name }) => name === resourceName);
    if (!spec) continue;
    const now = new Map(configEntries.map(({ configName, configValue }) => [configName, configValue]));
    const wrong = Object.entries(spec.settings).filter(([name, value]) => !sameSetting(now.get(name), value));
    if (wrong.length === 0) continue;
    // The request replaces all of a topic's own settings, so those of others go with it.
    const own = configEntries.filter(({ configSource }) => configSource === ConfigSource.TOPIC_CONFIG);
    const merged = { ...Object.fromEntries(own.map(({ configName, configValue }) => [configName, configValue])), ...spec.settings };
    const entries = Object.entries(merged).map(([name, value]) => ({ name, value }));
    await admin.alterConfigs({ validateOnly: false, resources: [{ type: ConfigResourceTypes.TOPIC, name: resourceName, configEntries: entries }] });
    const detail = wrong.map(([name, value]) => `${name}: ${now.get(name)} → ${value}`).join(', ');
    changes.push({ topic: resourceName, change: 'settings changed', detail });
  }
  return changes;
}

/** A list is in any order. */
const sameSetting = (now: string | undefined, wanted: string): boolean =>
  now?.split(',').toSorted().join() === wanted.split(',').toSorted().join();
