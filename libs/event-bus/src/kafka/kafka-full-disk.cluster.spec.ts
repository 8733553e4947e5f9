import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
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
const DISK_MEGABYTES = 48;
const run = promisify(execFile);

describe('a Kafka broker whose disk is full', () => {
  let folder: string;
  let port: number;
  let playground: KafkaPlayground;
  /** Keeps a mount namespace with a small file system over the folder: needs root. */
  let disk: ChildProcess;
  const server = (command: 'start' | 'stop') =>
    run('nsenter', ['--mount', '--target', String(disk.pid), SERVER, command], { env: { ...process.env, KAFKA_PORT: String(port), KAFKA_HEAP: '256m', TMPDIR: folder } });
  const ballast = () => `/proc/${disk.pid}/root${folder}/ballast`;
  const fixture = new BusFixture<KafkaEventBus>(async () => {
    const connect = () => playground.connect();
    return { bus: await connect(), connect, dispose: async () => {} };
  });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-full-broker-'));
    port = await reservePorts(2);
    const mount = `mount -t tmpfs -o size=${DISK_MEGABYTES}m tmpfs "${folder}" && echo mounted && exec sleep infinity`;
    disk = spawn('unshare', ['--mount', 'sh', '-c', mount], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(disk.stdout!, 'data');
    await server('start');
    playground = await KafkaPlayground.create({ brokers: `127.0.0.1:${port}`, partitions: 1, sessionTimeoutMs: 6000 });
    await fixture.setUp();
  });
  afterAll(async () => {
    await fixture.tearDown();
    await playground.admin.disconnect();
    await server('stop');
    disk.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  it('takes nothing that it cannot keep, and has all that it took once there is room', async () => {
    const { bus } = fixture;
    const job = fixture.name('job');
    const handled: string[] = [];
    await bus.subscribe(fixture.consumer([job], ({ event }) => void handled.push(event.id)));

    const taken: OutboxEvent[] = [];
    const refusals: unknown[] = [];
    const enough = new AbortController();
    /** As the outbox relay does: the same events again until the bus has them. */
    const publishing = (async () => {
      while (!enough.signal.aborted) {
        const event = fixture.event(job);
        for (let isTaken = false; !isTaken; ) {
          isTaken = await bus.publish([event]).then(() => true, (thrown: unknown) => !refusals.push(thrown));
          await new Promise((resolve) => setTimeout(resolve, isTaken ? 5 : 200));
        }
        taken.push(event);
      }
    })();
    await eventually(() => handled.length > 50, 'events while there is room');

    await run('dd', ['if=/dev/zero', `of=${ballast()}`, 'bs=4k']).catch(() => {});
    await eventually(() => refusals.length > 0, 'a refusal');
    await eventually(() => bus.check().then(() => false, () => true), 'a failing check');
    for (const thrown of refusals) expect(thrown).toMatchObject({ code: 'event_bus_unavailable', retryable: true });

    // A broker without a disk ends itself; its operator makes room and starts it.
    await server('stop');
    await rm(ballast());
    await server('start');
    const until = taken.length + 50;
    await eventually(() => taken.length > until, 'more events');
    enough.abort();
    await publishing;
    const wanted = taken.map(({ id }) => id);
    await eventually(() => new Set(handled).size >= wanted.length, 'every event');
    expect([...new Set(handled)]).toEqual(wanted);
  });
});
