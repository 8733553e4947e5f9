import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, silentLogger, systemClock, type Logger } from '@parlance/platform';
import { smallCatalogue } from '../../test/kafka-playground.js';
import { SecuredBroker } from '../../test/secured-broker.js';
import { BusFixture } from '../contract/bus-fixture.js';
import { eventually, reservePorts } from '../contract/index.js';
import { openEventBus } from '../open-event-bus.js';
import { kafkaClient } from './kafka-connection.js';
import { parseKafkaUrl } from './kafka-url.js';
import { ensureTopics } from './topics.js';

describe('a Kafka broker with TLS and SASL', () => {
  let broker: SecuredBroker;
  beforeAll(async () => {
    broker = await SecuredBroker.start(await reservePorts(3));
    const admin = kafkaClient(parseKafkaUrl(broker.url('plain'), broker.password), silentLogger()).admin();
    await admin.connect();
    await ensureTopics(admin, smallCatalogue(1));
    await admin.disconnect();
  });
  afterAll(() => broker.stop());

  const open = (url: string, kafkaPassword: string, log: Logger = silentLogger()) => openEventBus(url, { clock: systemClock, log, kafkaPassword });

  it.each(['plain', 'scram-sha-256', 'scram-sha-512'])('lets a user in by %s', async (mechanism) => {
    const fixture = new BusFixture(async () => {
      const connect = () => open(broker.url(mechanism), broker.password);
      return { bus: await connect(), connect, dispose: async () => {} };
    });
    await fixture.setUp();
    const job = fixture.name('job');
    let heard = false;
    await fixture.bus.subscribe(fixture.consumer([job], () => void (heard = true)));
    await fixture.bus.publish([fixture.event(job)]);
    await eventually(() => heard);
    await fixture.tearDown();
  });

  it.each(['plain', 'scram-sha-256', 'scram-sha-512'])('stops the start when the password is wrong, by %s', async (mechanism) => {
    const lines: string[] = [];
    const log = createLogger({ level: 'debug', destination: { write: (line: string) => void lines.push(line) } });
    await expect(open(broker.url(mechanism), 'not-the-password', log)).rejects.toThrow(/EVENT_BUS_URL: Kafka refused the user name, the password/);
    expect(lines.join('')).not.toContain('not-the-password');
  });

  it('is not trusted when its certificate is not known', async () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'info', destination: { write: (line: string) => void lines.push(line) } });
    const bus = await open(broker.url('plain').replace(/&ssl-ca=[^&]*/, ''), broker.password, log);
    await expect(bus.check()).rejects.toThrow();
    expect(lines.some((line) => line.includes('Kafka cannot be reached') && line.includes('certificate'))).toBe(true);
    await bus.close();
  });
});
