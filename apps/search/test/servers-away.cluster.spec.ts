import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@parlance/platform';
import { runProcess } from '@parlance/runtime/process';
import { eventually } from '@parlance/testing';
import { reservePort } from '@parlance/platform/contract';
import { KafkaPlayground } from '../../../libs/event-bus/test/kafka-playground.js';
import { MongoPlayground } from '../../../libs/storage/test/mongo-playground.js';
import { S3Playground } from '../../../libs/storage/test/s3-playground.js';
import { TcpProxy } from '../../../libs/storage/test/tcp-proxy.js';
import { manifest as search } from '../src/service.js';

interface Line {
  level: string;
  msg: string;
  [field: string]: unknown;
}

const addressOf = (url: string) => ({ host: new URL(url).hostname, port: Number(new URL(url).port) });

/** Search uses three of the servers. */
const manifest = { ...search, usesMedia: true };

/** A service that uses all four, each behind a port that is its own. */
describe('a process', () => {
  let opened: AsyncDisposableStack;
  let proxies: Record<'kafka' | 'mongo' | 's3' | 'openSearch', TcpProxy>;
  let env: Record<string, string>;
  let health: string;
  let lines: Line[];
  const log = () => createLogger({ level: 'info', destination: { write: (line: string) => void lines.push(JSON.parse(line) as Line) } });
  const ready = async () => {
    const answer = await fetch(health).catch(() => undefined);
    return answer && { status: answer.status, checks: ((await answer.json()) as { checks: Record<string, string> }).checks };
  };
  const said = (msg: string) => eventually(`"${msg}"`, () => lines.find((line) => line.msg === msg));

  beforeEach(async () => {
    opened = new AsyncDisposableStack();
    lines = [];
    const { KAFKA_BROKERS: brokers = '', MONGODB_URI: mongoUri = '', S3_ENDPOINT: s3Endpoint = '', OPENSEARCH_URL: openSearchUrl = '' } = process.env;
    const kafka = await KafkaPlayground.create({ partitions: 1, sessionTimeoutMs: 6000 });
    opened.defer(() => kafka.dispose());
    const mongo = new MongoPlayground();
    opened.defer(async () => void (await mongo.look((database) => database.dropDatabase(), manifest.name)));
    const index = mongo.baseName.replaceAll('_', '-');
    opened.defer(async () => void (await fetch(`${openSearchUrl}/${index}-passages-v1,${index}-jobs-v1`, { method: 'DELETE' })));
    const folder = await mkdtemp(join(tmpdir(), 'parlance-servers-away-'));
    opened.defer(() => rm(folder, { recursive: true }));

    const proxyOf = async (url: string) => {
      const proxy = await new TcpProxy(addressOf(url)).start();
      opened.defer(() => proxy.stop());
      return proxy;
    };
    const [kafkaProxy, mongoProxy, s3Proxy, openSearchProxy] = await Promise.all([`kafka://${brokers}`, mongoUri, s3Endpoint, openSearchUrl].map(proxyOf)) as [TcpProxy, TcpProxy, TcpProxy, TcpProxy];
    proxies = { kafka: kafkaProxy, mongo: mongoProxy, s3: s3Proxy, openSearch: openSearchProxy };
    const healthPort = await reservePort();
    health = `http://127.0.0.1:${healthPort}/health/ready`;
    env = {
      PARLANCE_DATA: folder,
      HEALTH_HOST: '127.0.0.1',
      HEALTH_PORT: String(healthPort),
      EVENT_BUS_URL: kafka.url.replace(brokers, `127.0.0.1:${kafkaProxy.port}`),
      DATABASE_URL: `mongodb://127.0.0.1:${mongoProxy.port}/${mongo.baseName}?directConnection=true&createIndexes=true&serverSelectionTimeoutMS=500`,
      MEDIA_URL: new S3Playground({ endpoint: `http://127.0.0.1:${s3Proxy.port}` }).url,
      SEARCH_URL: `opensearch+http://127.0.0.1:${openSearchProxy.port}/${index}?createIndex=true&replicas=0`,
    };
  });
  afterEach(() => opened.disposeAsync());

  it('whose servers are all away at its start says so of each with the cause, is not ready, and is once they are there', async () => {
    for (const proxy of Object.values(proxies)) await proxy.stop();
    const starting = runProcess([manifest], { env, log: log() });
    opened.defer(async () => (await starting).close());
    const refused = (proxy: TcpProxy) => expect.stringContaining(`ECONNREFUSED 127.0.0.1:${proxy.port}`);
    try {
      expect(await said('Kafka cannot be reached; trying again')).toMatchObject({ level: 'warn', brokers: [`127.0.0.1:${proxies.kafka.port}`] });
      expect(await said('database unavailable; trying again')).toMatchObject({ level: 'warn', reason: refused(proxies.mongo), failures: 1 });
      expect(await said('media store unavailable; trying again')).toMatchObject({ level: 'warn', failures: 1, err: { code: 'media_store_unavailable', message: expect.stringMatching(/^The media store/) } });
      expect(await said('search server unavailable; trying again')).toMatchObject({ level: 'warn', reason: refused(proxies.openSearch), failures: 1 });
      const answer = await eventually('an answer', ready);
      expect(answer.status).toBe(503);
      expect(Object.entries(answer.checks).filter(([, state]) => state === 'ok')).toEqual([]);
      expect(Object.keys(answer.checks).toSorted()).toEqual(['event_bus', 'media_store', 'search_documents', 'search_index', 'search_tasks', 'started']);
    } finally {
      for (const proxy of Object.values(proxies)) await proxy.start();
    }
    await starting;
    await eventually('the process to be ready', async () => (await ready())?.status === 200);
  });

  it('with a wrong password for its media store says so, never which, and is not ready', async () => {
    const right = process.env['AWS_SECRET_ACCESS_KEY'];
    process.env['AWS_SECRET_ACCESS_KEY'] = 'not-the-secret';
    opened.defer(async () => void (process.env['AWS_SECRET_ACCESS_KEY'] = right));
    const running = await runProcess([manifest], { env, log: log() });
    opened.defer(() => running.close());
    const line = await said('media store unavailable; trying again');
    expect(line).toMatchObject({ level: 'warn', err: { message: expect.stringMatching(/refused the credentials/) } });
    await eventually('nothing but the media store to be missing', async () => {
      const answer = await ready();
      const missing = Object.entries(answer?.checks ?? {}).filter(([, state]) => state !== 'ok').map((check) => check.join(': '));
      return answer?.status === 503 && missing.length === 1 && missing[0]?.startsWith('media_store: The media store refused the credentials');
    });
    expect(JSON.stringify(lines)).not.toContain('not-the-secret');
  });

  it('stays ready when a server goes away later, names it among its dependencies, and finds it again', async () => {
    const running = await runProcess([manifest], { env, log: log() });
    opened.defer(() => running.close());
    await eventually('the process to be ready', async () => (await ready())?.status === 200);
    const missing = async () => {
      const answer = await fetch(health.replace('ready', 'dependencies'));
      const { checks } = (await answer.json()) as { checks: Record<string, string> };
      return { status: answer.status, names: Object.keys(checks).filter((name) => checks[name] !== 'ok').toSorted() };
    };
    // Not Kafka: after the first answer its client uses the address that the broker gives, past the proxy.
    const dependencies = { mongo: ['search_documents', 'search_tasks'], s3: ['media_store'], openSearch: ['search_index'] };
    for (const [server, names] of Object.entries(dependencies) as [keyof typeof dependencies, string[]][]) {
      await proxies[server].stop();
      await eventually(`${names.join()} to be missing`, async () => (await missing()).names.length >= names.length);
      expect(await missing()).toEqual({ status: 503, names });
      expect((await ready())?.status).toBe(200);
      await proxies[server].start();
      await eventually(`${names.join()} to be there again`, async () => (await missing()).status === 200);
    }
  });
});
