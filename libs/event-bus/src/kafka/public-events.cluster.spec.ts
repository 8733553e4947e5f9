import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PUBLIC_EVENT_TYPES, PUBLIC_EVENTS, topicOf, type PublicEventType } from '@parlance/contracts';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { KafkaPlayground } from '../../test/kafka-playground.js';
import { faultsOf, readWithSdk, textHeaders } from '../../test/published-description.js';
import { eventually } from '../contract/index.js';
import type { NewEvent } from '../event-bus.js';
import { stampEvent } from '../event-json.js';
import { kafkaClient } from './kafka-connection.js';
import { parseKafkaUrl } from './kafka-url.js';

const stamps = { clock: systemClock, ids: ulidGenerator() };
const published = PUBLIC_EVENT_TYPES.map((type) => stampEvent({ type, data: PUBLIC_EVENTS[type].example } as NewEvent, { ...stamps, source: PUBLIC_EVENTS[type].source }));

describe('what a team reads from the public topics with a client of its own', () => {
  let playground: KafkaPlayground;
  beforeAll(async () => {
    playground = await KafkaPlayground.create();
  });
  afterAll(() => playground.dispose());

  it('is what the description says, and the SDK of CloudEvents reads it', async () => {
    const bus = await playground.connect();
    await bus.publish(published);
    await bus.close();
    const received: Parameters<typeof readWithSdk>[0][] = [];
    const consumer = kafkaClient(parseKafkaUrl(playground.url), silentLogger()).consumer({ groupId: `${playground.prefix}team.reader`, maxWaitTimeInMs: 300 });
    await consumer.connect();
    await consumer.subscribe({ topics: [...new Set(PUBLIC_EVENT_TYPES.map(topicOf))].map((topic) => `${playground.prefix}${topic}`), fromBeginning: true });
    await consumer.run({ eachMessage: async ({ message }) => void received.push(message) });
    await eventually(() => received.length === published.length);
    await consumer.disconnect();

    const read = received.map((record) => readWithSdk(record));
    expect(read.map(({ id }) => id).toSorted()).toEqual(published.map(({ id }) => id).toSorted());
    for (const [index, event] of read.entries()) {
      expect(event.validate()).toBe(true);
      const type = event.type as PublicEventType;
      expect(faultsOf(type, 'headers', textHeaders(received[index]!))).toEqual([]);
      expect(faultsOf(type, 'payload', event.data)).toEqual([]);
    }
  });
});
