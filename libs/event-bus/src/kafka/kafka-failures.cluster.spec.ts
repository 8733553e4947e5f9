import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DEAD_LETTERS, TOPICS } from '@parlance/contracts';
import { AppError, createLogger, silentLogger, systemClock } from '@parlance/platform';
import kafkajs from 'kafkajs';
import { KafkaPlayground, smallCatalogue } from '../../test/kafka-playground.js';
import { BusFixture } from '../contract/bus-fixture.js';
import { eventually } from '../contract/index.js';
import { openEventBus } from '../open-event-bus.js';
import { toRecord } from './cloud-event-record.js';
import { kafkaClient } from './kafka-connection.js';
import type { KafkaEventBus } from './kafka-event-bus.js';
import { parseKafkaUrl } from './kafka-url.js';
import { deadLetterTopic, ensureTopics } from './topics.js';

const TOPIC = 'parlance.jobs.v1';
const { ConfigResourceTypes, Partitioners } = kafkajs;

let playground: KafkaPlayground;
beforeAll(async () => {
  playground = await KafkaPlayground.create({ sessionTimeoutMs: 6000 });
});
afterAll(() => playground.dispose());

const fixture = new BusFixture<KafkaEventBus>(async () => {
  const connect = () => playground.connect();
  return { bus: await connect(), connect, dispose: async () => {} };
});
beforeEach(() => fixture.setUp());
afterEach(() => fixture.tearDown());

/** Sends what a stranger might. */
const sendRaw = async (key: string, value: string | null, headers: Record<string, string>) => {
  const producer = kafkaClient(parseKafkaUrl(playground.url), silentLogger()).producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  await producer.send({ topic: `${playground.prefix}${TOPIC}`, messages: [{ key, value, headers }] });
  await producer.disconnect();
};

describe('what somebody else sends to a topic', () => {
  it('is a dead letter at once when it cannot be read, and can be replayed as it was', async () => {
    const job = fixture.name('job');
    const handled: string[] = [];
    const consumer = fixture.consumer([job], ({ event }) => void handled.push(event.id));
    await fixture.bus.subscribe(consumer);
    const { headers } = toRecord(fixture.event(job));
    await sendRaw(job, '{"jobId": "torn', headers);
    const good = fixture.event(job);
    await fixture.bus.publish([good]);
    await eventually(() => handled.length === 1);
    expect(handled).toEqual([good.id]);
    const [letter] = await fixture.bus.deadLetters.list({ group: consumer.group });
    expect(letter).toMatchObject({ attempts: 1, event: { id: headers['ce_id'], type: 'job.progressed', key: job, data: '{"jobId": "torn' } });
    expect(letter?.reason).toMatch(/^event_undecodable: .*not JSON/);
    await fixture.bus.deadLetters.replay(letter?.id ?? '');
    await eventually(async () => (await fixture.bus.deadLetters.list({ group: consumer.group })).some(({ id }) => id !== letter?.id));
    const [again] = await fixture.bus.deadLetters.list({ group: consumer.group });
    expect(again?.event).toEqual(letter?.event);
  });

  it('is a dead letter when it is no CloudEvent at all', async () => {
    let deadLettered = 0;
    const consumer = fixture.consumer([], () => {}, { deadLettered: () => void (deadLettered += 1) });
    await fixture.bus.subscribe(consumer);
    await sendRaw('whatever', 'hello', {});
    const letters = () => fixture.bus.deadLetters.list({ group: consumer.group });
    await eventually(async () => (await letters()).some(({ event }) => event.key === 'whatever'));
    expect((await letters()).find(({ event }) => event.key === 'whatever')?.reason).toMatch(/not a CloudEvent/);
    // Of the records that the tests before it left, too.
    await eventually(async () => deadLettered === (await letters()).length);
  });

  it('is tolerated when it is of a newer schema', async () => {
    const job = fixture.name('job');
    const [event, last] = [fixture.event(job), fixture.event(job)] as const;
    const handled: unknown[] = [];
    const consumer = fixture.consumer([job], (delivery) => void handled.push(delivery.event));
    await fixture.bus.subscribe(consumer);
    const { headers, value } = toRecord(event);
    const unknownType = { ...headers, ce_id: 'evt_newer', ce_type: 'job.reinvented' };
    await sendRaw(job, '{"nobody": "knows"}', unknownType);
    await sendRaw(job, JSON.stringify({ ...(JSON.parse(String(value)) as object), newField: [1] }), headers);
    await fixture.bus.publish([last]);
    await eventually(() => handled.length === 2);
    expect(handled).toEqual([event, last]);
    const letters = await fixture.bus.deadLetters.list({ group: consumer.group });
    expect(letters.filter(({ event: { key } }) => key === job)).toEqual([]);
  });
});

describe('an event that is too large', () => {
  it('fails alone', async () => {
    const job = fixture.name('job');
    const small = fixture.event(job);
    const large = fixture.event(job);
    (large.data as { jobId: string }).jobId = 'x'.repeat(2_000_000);
    const results = await Promise.allSettled([fixture.bus.publish([small]), fixture.bus.publish([large]), fixture.bus.publish([fixture.event(job)])]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: { kind: 'too_large', retryable: false } });
  });
});

describe('a broker without the topics', () => {
  const urlWithout = () => playground.url.replace(playground.prefix, `${playground.prefix}none.`);
  const open = (url: string) => openEventBus(url, { clock: systemClock, log: silentLogger() });

  it('stops the start with the names of the topics and what to do', async () => {
    const opening = open(urlWithout());
    await expect(opening).rejects.toMatchObject({ name: 'ConfigError' });
    await expect(opening).rejects.toThrow(/none\.parlance\.jobs\.v1.*create them with: parlance-admin topics/);
  });

  it('never makes one by itself', async () => {
    await open(urlWithout()).catch(() => {});
    const topics = await playground.admin.listTopics();
    expect(topics.filter((topic) => topic.startsWith(`${playground.prefix}none.`))).toEqual([]);
  });
});

describe('a broker that is away at the start', () => {
  it('is waited for, with a line in the log, not ready meanwhile', async () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'info', destination: { write: (line: string) => void lines.push(line) } });
    const bus = await openEventBus('kafka://127.0.0.1:1', { clock: systemClock, log });
    await expect(bus.check()).rejects.toThrow(/has not answered/);
    await eventually(() => lines.filter((line) => line.includes('Kafka cannot be reached; trying again')).length >= 2);
    const publishing = bus.publish([fixture.event(fixture.name('job'))]);
    const subscribing = bus.subscribe(fixture.consumer([], () => {}));
    const refused = Promise.all([expect(publishing).rejects.toBeInstanceOf(AppError), expect(subscribing).rejects.toBeInstanceOf(AppError)]);
    await bus.close();
    await refused;
  });
});

describe('ensureTopics', () => {
  it('creates, raises, corrects, leaves what others set, and does nothing twice', async () => {
    const prefix = `${playground.prefix}made.`;
    const { admin } = playground;
    const topic = `${prefix}${TOPIC}`;
    const ensure = (catalogue = smallCatalogue(2)) => ensureTopics(admin, catalogue, { topicPrefix: prefix, replicationFactor: 1 });
    const changed = async (catalogue?: ReturnType<typeof smallCatalogue>) =>
      (await ensure(catalogue)).filter(({ change }) => change !== 'unchanged').map(({ topic: name, change, detail }) => [name, change, detail]);
    const settings = async (name: string) => {
      const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [{ type: ConfigResourceTypes.TOPIC, name }] });
      return Object.fromEntries(resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]) ?? []);
    };
    const partitions = async () => (await admin.fetchTopicMetadata({ topics: [topic] })).topics[0]?.partitions.length;

    const created = await ensure();
    expect(new Set(created.map(({ change }) => change))).toEqual(new Set(['created']));
    expect(created.map(({ topic: name }) => name)).toContain(deadLetterTopic(topic));
    const cleanup = async (name: string) => (await settings(name))['cleanup.policy']?.split(',').toSorted();
    expect([await cleanup(topic), await cleanup(deadLetterTopic(topic))]).toEqual([TOPICS[TOPIC].cleanup, DEAD_LETTERS.cleanup]);
    expect(await changed()).toEqual([]);

    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries: [{ name: 'retention.ms', value: '1000' }, { name: 'max.message.bytes', value: '2000000' }] }],
    });
    // A broker shows a change some time after it took it.
    const retention = async (wanted: string) => (await settings(topic))['retention.ms'] === wanted;
    await eventually(() => retention('1000'));
    expect(await changed()).toEqual([[topic, 'settings changed', 'retention.ms: 1000 → 2592000000']]);
    await eventually(() => retention('2592000000'));
    expect(await settings(topic)).toMatchObject({ 'max.message.bytes': '2000000' });

    expect(await changed(smallCatalogue(5))).toEqual([[topic, 'partitions raised', '2 → 5']]);
    await eventually(async () => (await partitions()) === 5);
    expect(await changed(smallCatalogue(3))).toEqual([]);
    expect(await partitions()).toBe(5);
    await admin.deleteTopics({ topics: created.map(({ topic: name }) => name) });
  });
});
