import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { reservePorts } from '@parlance/platform/contract';
import { KafkaPlayground } from '../../test/kafka-playground.js';
import { BusFixture } from '../contract/bus-fixture.js';
import { eventually } from '../contract/index.js';
import type { OutboxEvent } from '../event-bus.js';
import type { KafkaEventBus } from './kafka-event-bus.js';

const SERVER = join(process.env['PARLANCE_SERVERS'] ?? 'PARLANCE_SERVERS is not set', 'kafka');

describe('a Kafka broker that goes away and comes back', () => {
  let folder: string;
  let port: number;
  let playground: KafkaPlayground;
  const server = (command: 'start' | 'stop' | 'wipe') =>
    promisify(execFile)(SERVER, [command], { env: { ...process.env, KAFKA_PORT: String(port), KAFKA_HEAP: '256m', TMPDIR: folder } });
  const fixture = new BusFixture<KafkaEventBus>(async () => {
    const connect = () => playground.connect();
    return { bus: await connect(), connect, dispose: async () => {} };
  });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-broker-'));
    port = await reservePorts(2);
    await server('start');
    playground = await KafkaPlayground.create({ brokers: `127.0.0.1:${port}`, sessionTimeoutMs: 6000 });
    await fixture.setUp();
  });
  afterAll(async () => {
    await fixture.tearDown();
    await playground.admin.disconnect();
    await server('wipe');
    await rm(folder, { recursive: true, force: true });
  });

  it('has lost nothing that was published, and its groups and followers go on, also one that begins meanwhile', async () => {
    const { bus } = fixture;
    const job = fixture.name('job');
    const handled: string[] = [];
    const followed = new Set<string>();
    const followedLate = new Set<string>();
    const follow = (seen: Set<string>) => bus.follow({ topic: 'parlance.jobs.v1', handlers: { 'job.progressed': ({ id }) => void seen.add(id) } });
    await bus.subscribe(fixture.consumer([job], ({ event }) => void handled.push(event.id)));
    await follow(followed);

    const published: OutboxEvent[] = [];
    let failures = 0;
    const enough = new AbortController();
    const takes = async (events: OutboxEvent[]) => {
      const error = await bus.publish(events).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error) failures += 1;
      return !error;
    };
    /** As the outbox relay does: the same events again until the bus has them. */
    const publishing = (async () => {
      while (!enough.signal.aborted) {
        const events = [fixture.event(job), fixture.event(job)];
        while (!(await takes(events))) await new Promise((resolve) => setTimeout(resolve, 200));
        published.push(...events);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    await eventually(() => handled.length > 50);
    await server('stop');
    await eventually(() => bus.check().then(() => false, () => true), 'a failing check');
    const following = follow(followedLate);
    await server('start');
    await following;
    await eventually(() => bus.check().then(() => true, () => false), 'a check that is well');
    const until = published.length + 50;
    await eventually(() => published.length > until, 'more publishes');
    enough.abort();
    await publishing;
    const wanted = published.map(({ id }) => id);
    await eventually(() => isSuperset(new Set(handled), wanted), 'every event');
    await eventually(() => isSuperset(followed, wanted), 'every event at the follower');
    await eventually(() => followedLate.has(wanted.at(-1) ?? ''), 'the last event at the follower that came while the broker was away');
    expect([...new Set(handled)]).toEqual(wanted);
    process.stdout.write(`${published.length} published, ${failures} tries failed, ${handled.length} deliveries\n`);
  });
});

const isSuperset = (set: ReadonlySet<string>, wanted: readonly string[]): boolean => wanted.every((id) => set.has(id));
