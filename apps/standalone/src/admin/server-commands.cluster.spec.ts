import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TOPICS } from '@parlance/contracts';
import { kafkaClient, parseKafkaUrl, topicSpecs } from '@parlance/event-bus/kafka';
import { silentLogger } from '@parlance/platform';
import { reservePorts } from '@parlance/platform/contract';
import { SERVICE_NAMES } from '@parlance/runtime';
import { SecuredBroker } from '../../../../libs/event-bus/test/secured-broker.js';
import { MongoPlayground } from '../../../../libs/storage/test/mongo-playground.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const MAIN = 'bundle/parlance-admin.js';
const installation = `t${randomBytes(4).toString('hex')}`;
const brokers = process.env['KAFKA_BROKERS'] ?? '';
const SLOW_MS = 120_000;

const run = (args: string[], env: Record<string, string> = {}) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, args, { cwd: root, env: { PATH: process.env['PATH'], ...env } }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
const admin = (env: Record<string, string>, ...args: string[]) => run([MAIN, ...args], env);
const lines = (printed: string) => printed.split('\n').filter((line) => line !== '');

beforeAll(async () => {
  expect(await run(['scripts/build.mjs'])).toMatchObject({ code: 0 });
});

describe('parlance-admin topics', () => {
  const prefix = `${installation}.`;
  const url = `kafka://${brokers}?topic-prefix=${prefix}`;
  const names = topicSpecs(TOPICS, prefix).map(({ name }) => name);
  const kafka = kafkaClient(parseKafkaUrl(url), silentLogger()).admin();
  beforeAll(() => kafka.connect());
  afterAll(async () => {
    const made = new Set(await kafka.listTopics());
    await kafka.deleteTopics({ topics: names.filter((name) => made.has(name)) });
    await kafka.disconnect();
  });

  it('waits for a broker that comes up, makes the topics once, and says what it did', async () => {
    const [host = '', port = ''] = brokers.split(',')[0]?.split(':') ?? [];
    const front = createServer((socket) => {
      const broker = connect(Number(port), host);
      for (const [from, to] of [[socket, broker], [broker, socket]] as const) from.on('error', () => to.destroy()).pipe(to);
    });
    // A port that is ours, on which nobody listens for now.
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    const { port: frontPort } = front.address() as { port: number };
    await new Promise((resolve) => front.close(resolve));
    const env = { PATH: process.env['PATH'], EVENT_BUS_URL: `kafka://127.0.0.1:${frontPort}?topic-prefix=${prefix}` };
    const waiting = spawn(process.execPath, [MAIN, 'topics', '--json'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const printed = text(waiting.stdout);
    const said = await new Promise<string>((resolve) => waiting.stderr.setEncoding('utf8').once('data', resolve));
    expect(said).toMatch(/^Waiting for Kafka: .*ECONNREFUSED/);
    front.listen(frontPort, '127.0.0.1');
    const changes = JSON.parse(await printed) as { topic: string; change: string }[];
    front.close();
    expect(changes.map(({ topic, change }) => [topic, change])).toEqual(names.map((name) => [name, 'created']));
    const again = await admin({ EVENT_BUS_URL: url }, 'topics');
    expect(again).toEqual({ code: 0, stdout: expect.any(String), stderr: '' });
    expect(lines(again.stdout).toSorted()).toEqual(names.map((name) => `${name}: unchanged`).toSorted());
  }, SLOW_MS);

  it('gives up in one line', async () => {
    const { code, stdout, stderr } = await admin({ EVENT_BUS_URL: 'kafka://127.0.0.1:1' }, 'topics', '--timeout', '1');
    expect([code, stdout, lines(stderr).at(-1)]).toEqual([1, '', expect.stringMatching(/^Kafka is unavailable: .*127\.0\.0\.1:1\. Gave up after 1 s/)]);
  }, SLOW_MS);

  it('ends at once when the password is wrong', async () => {
    const broker = await SecuredBroker.start(await reservePorts(3));
    try {
      const { code, stderr } = await admin({ EVENT_BUS_URL: broker.url('plain'), KAFKA_PASSWORD: 'wrong' }, 'topics');
      expect([code, lines(stderr)]).toEqual([2, ['EVENT_BUS_URL: Kafka refused the user name, the password or the SASL mechanism']]);
    } finally {
      await broker.stop();
    }
  }, SLOW_MS);
});

describe('parlance-admin indexes', () => {
  const playground = new MongoPlayground();
  const env = { DATABASE_URL: playground.url };
  afterAll(async () => {
    for (const service of SERVICE_NAMES) await playground.look((database) => database.dropDatabase(), service);
  });

  it('tells what it would do, does it, and has nothing to do then', async () => {
    const told = await admin(env, 'indexes', '--dry-run', '--json');
    const plan = JSON.parse(told.stdout) as Record<string, { created: string[] }>;
    expect(Object.keys(plan).toSorted()).toEqual([...SERVICE_NAMES].toSorted());
    expect(plan['ingest']?.created).toContain('jobs.parlance_accountId_by_createdAt');
    expect(plan['transcription']?.created).toContain('task_queue.tasks.parlance_lanes');
    expect(JSON.parse((await admin(env, 'indexes', '--json')).stdout)).toEqual(plan);
    const again = await admin(env, 'indexes');
    expect([again.code, lines(again.stdout), again.stderr]).toEqual([0, Object.keys(plan).map((service) => `${service}: nothing to do`), '']);
  }, SLOW_MS);

  it('gives up in one line', async () => {
    const { code, stdout, stderr } = await admin({ DATABASE_URL: 'mongodb://127.0.0.1:1/x' }, 'indexes', '--timeout', '1');
    expect([code, stdout, lines(stderr).at(-1)]).toEqual([1, '', expect.stringMatching(/^The database is unavailable: .*ECONNREFUSED.*Gave up after 1 s/)]);
  }, SLOW_MS);
});
