import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVENTS, TOPICS, typesOn, type Topic } from '@parlance/contracts';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import type { Admin } from 'kafkajs';
import { documentedAcls, documentedServices, type ServiceRow } from '../../test/documented-acls.js';
import { smallCatalogue } from '../../test/kafka-playground.js';
import { SecuredBroker } from '../../test/secured-broker.js';
import { QUICK_RETRY } from '../contract/bus-fixture.js';
import { eventually, reservePorts } from '../contract/index.js';
import type { Consumer, EventBus, Follower, NewEvent, OutboxEvent } from '../event-bus.js';
import { stampEvent } from '../event-json.js';
import { kafkaClient } from './kafka-connection.js';
import { KafkaEventBus } from './kafka-event-bus.js';
import { parseKafkaUrl } from './kafka-url.js';
import { ensureTopics } from './topics.js';

const PREFIX = 'staging.';
const services = documentedServices();
const principals = services.map(({ principal }) => principal);
const ids = ulidGenerator();

/** Of the first type on the topic. */
const eventOn = (topic: Topic): OutboxEvent => {
  const [type] = typesOn(topic);
  const data = EVENTS[type!].codec.fromJSON({ jobId: ids.next('job'), accountId: 'acc_1' });
  return stampEvent({ type, data } as NewEvent, { clock: systemClock, ids, source: 'test' });
};

describe('the ACLs that the documentation gives', () => {
  let broker: SecuredBroker;
  let admin: Admin;
  let all: KafkaEventBus;

  const adminOf = (user: string) => kafkaClient(parseKafkaUrl(broker.urlOf(user, 'plain'), broker.password), silentLogger()).admin();
  const openAs = (user: string) =>
    KafkaEventBus.open(broker.urlOf(user, 'plain', `&topic-prefix=${PREFIX}`), { clock: systemClock, log: silentLogger(), graceMs: 50, password: broker.password });

  beforeAll(async () => {
    broker = await SecuredBroker.start(await reservePorts(3), { restrictedUsers: [...principals, 'parlance-admin', 'reporting'] });
    admin = adminOf('parlance');
    await admin.connect();
    const acl = ['docs/events/services.md', 'docs/events/README.md'].flatMap((page) => documentedAcls(page, PREFIX));
    await admin.createAcls({ acl });
    // As the Job does, but with fewer partitions.
    const job = adminOf('parlance-admin');
    await job.connect();
    await ensureTopics(job, smallCatalogue(1), { topicPrefix: PREFIX });
    await ensureTopics(job, smallCatalogue(2), { topicPrefix: PREFIX });
    await job.disconnect();
    all = await openAs('parlance');
  });
  afterAll(async () => {
    await all?.close();
    await admin?.disconnect();
    await broker?.stop();
  });

  it('are those of every service', () => {
    expect(principals).toHaveLength(7);
  });

  it.each(services)('let $principal do all that it does, and no more', async (service) => {
    const bus = await openAs(service.principal);
    try {
      const failed = await consumeAll(bus, service);
      for (const topic of service.publishes) await bus.publish([eventOn(topic)]);
      await all.publish(service.consumes.map(({ topic }) => eventOn(topic)));
      await eventually(() => service.consumes.every(({ topic, group }) => failed.has(`${topic} ${group}`)));
      for (const { group, topic } of service.consumes) {
        await eventually(async () => (await all.deadLetters.list({ group, topic })).length > 0);
      }
      if (service.erases) await eraseOne(bus, service);
      const others = (Object.keys(TOPICS) as Topic[]).filter((topic) => !service.publishes.includes(topic));
      for (const topic of others) await expect(bus.publish([eventOn(topic)])).rejects.toThrow();
    } finally {
      await bus.close();
    }
  });

  /** Subscribes as the service does, with handlers that fail. @returns which did */
  async function consumeAll(bus: EventBus, { consumes, follows }: ServiceRow): Promise<Set<string>> {
    const failed = new Set<string>();
    for (const { topic, group } of consumes) {
      const fail = async () => {
        failed.add(`${topic} ${group}`);
        throw new Error('as it is to be a dead letter');
      };
      const handlers = Object.fromEntries(typesOn(topic).map((type) => [type, fail]));
      await bus.subscribe({ topic, group, handlers, retry: { ...QUICK_RETRY, maxAttempts: 1 } } as Consumer);
    }
    for (const topic of follows) await bus.follow({ topic, handlers: {} } as Follower);
    return failed;
  }

  async function eraseOne(bus: EventBus, { consumes }: ServiceRow): Promise<void> {
    const { topic, group } = consumes[0]!;
    const [letter] = await all.deadLetters.list({ group, topic });
    await bus.erase(letter!.event.key, { except: 'evt_none' });
    expect((await all.deadLetters.list({ group, topic })).map(({ id }) => id)).not.toContain(letter!.id);
  }

  it('let an operator list, replay and drop dead letters', async () => {
    const bus = await openAs('parlance-admin');
    const [first, second] = await bus.deadLetters.list();
    await bus.deadLetters.replay(first!.id);
    await bus.deadLetters.drop(second!.id);
    expect(await bus.deadLetters.get(second!.id)).toBeUndefined();
    await bus.close();
  });

  it('let a team read the public topics with a group of its own, and nothing else', async () => {
    const reporting = kafkaClient(parseKafkaUrl(broker.urlOf('reporting', 'plain'), broker.password), silentLogger());
    const reader = adminOf('reporting');
    await reader.connect();
    expect((await reader.listTopics()).toSorted()).toEqual([`${PREFIX}parlance.jobs.v1`, `${PREFIX}parlance.transcripts.v1`]);
    await reader.disconnect();
    const seen: (string | undefined)[] = [];
    const consumer = reporting.consumer({ groupId: 'reporting.dashboard', maxWaitTimeInMs: 300 });
    await consumer.connect();
    await consumer.subscribe({ topics: [`${PREFIX}parlance.jobs.v1`, `${PREFIX}parlance.transcripts.v1`], fromBeginning: true });
    await consumer.run({ eachMessage: async ({ message }) => void seen.push(message.headers?.['ce_id']?.toString()) });
    const event = eventOn('parlance.jobs.v1');
    await all.publish([event]);
    await eventually(() => seen.includes(event.id));
    await consumer.disconnect();
    const stranger = reporting.consumer({ groupId: `${PREFIX}parlance.jobs.v1.ingest`, retry: { retries: 0 } });
    await stranger.connect();
    await stranger.subscribe({ topics: [`${PREFIX}parlance.jobs.v1`] });
    const crashed = new Promise((resolve) => stranger.on('consumer.crash', ({ payload }) => resolve(payload.error)));
    await stranger.run({ eachMessage: async () => {} });
    // The client's word for a coordinator that it may not ask; the group of its own has found one.
    expect(String(await crashed)).toMatch(/GroupCoordinatorNotFound/);
    await stranger.disconnect();
    const producer = reporting.producer({ retry: { retries: 0 } });
    await producer.connect();
    await expect(producer.send({ topic: `${PREFIX}parlance.jobs.v1`, messages: [{ value: '{}' }] })).rejects.toThrow(/authoriz/i);
    await producer.disconnect();
  });
});
