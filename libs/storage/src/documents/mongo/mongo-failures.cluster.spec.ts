import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/event-bus/contract';
import { createLogger } from '@parlance/platform';
import { chanceFor } from '@parlance/platform/contract';
import { MongoFront } from '../../../test/mongo-front.js';
import { MongoPlayground } from '../../../test/mongo-playground.js';
import { OwnServer } from '../../../test/own-server.js';
import { TcpProxy } from '../../../test/tcp-proxy.js';
import { jobCreated } from '../../contract/documents/outbox.js';
import type { CollectionDefinition, Document } from '../document-collection.js';
import type { MongoDocumentDatabase } from './mongo-document-database.js';

interface Counter extends Document {
  value: number;
}
const COUNTERS: CollectionDefinition<Counter> = { name: 'counters', indexes: [] };
const CUTS = 30;
const { random } = chanceFor('mongo-failures');
/** Milliseconds: longer than a write takes, as it is in a real set. */
const ELECTION_MS = 300;
const unavailable = expect.objectContaining({ kind: 'unavailable', code: 'database_unavailable', retryable: true });

describe('MongoDocumentDatabase when things go wrong', () => {
  let server: OwnServer;
  let uri: string;
  let playground: MongoPlayground;
  let proxy: TcpProxy;
  const databases: MongoDocumentDatabase[] = [];

  beforeAll(async () => {
    server = await OwnServer.create('mongo');
    uri = (await server.start())['MONGODB_URI'] ?? '';
  });
  afterAll(() => server.dispose());
  beforeEach(async () => {
    playground = new MongoPlayground(uri);
    proxy = await new TcpProxy({ host: '127.0.0.1', port: server.port }).start();
  });
  afterEach(async () => {
    await Promise.all(databases.splice(0).map((database) => database.close()));
    await proxy.stop();
    await playground.dispose();
  });

  /** Through the proxy, which is all of the set that the driver sees. */
  const throughProxy = (options = '') => `mongodb://127.0.0.1:${proxy.port}/${playground.baseName}?directConnection=true&createIndexes=true${options}`;
  const connect = (options: Parameters<MongoPlayground['connect']>[0] = {}) => {
    const database = playground.connect(options);
    databases.push(database);
    return database;
  };
  const logged = () => {
    const lines: { level: string; msg: string; [field: string]: unknown }[] = [];
    const destination = new Writable({ write: (line, _, done) => (lines.push(JSON.parse(String(line))), done()) });
    return { lines, log: createLogger({ level: 'info', destination }) };
  };

  const count = (database: MongoDocumentDatabase, id: string) =>
    database.collection(COUNTERS).update(id, (current) => {
      const value = (current?.value ?? 0) + 1;
      return { document: { id, createdAt: '2026-01-01T00:00:00.000Z', value }, events: [jobCreated(id, value)] };
    });
  const valueOf = async (database: MongoDocumentDatabase, id: string) => (await database.collection(COUNTERS).get(id))?.document.value ?? 0;
  /** Of all events that were stored, in their order. */
  const sequences = async (database: MongoDocumentDatabase, id: string) =>
    (await database.outbox.pending(100_000))
      .flatMap(({ events }) => events)
      .filter(({ key }) => key === id)
      .map(({ data }) => 'sequence' in data && data.sequence);
  const upTo = (length: number) => Array.from({ length }, (_, index) => index + 1);

  it('loses none of fifty updates at once', async () => {
    const both = [connect(), connect()] as const;
    await Promise.all(upTo(50).map((turn) => count(both[turn % 2 === 0 ? 0 : 1], 'c1')));
    expect(await valueOf(both[0], 'c1')).toBe(50);
    expect(await sequences(connect(), 'c1')).toEqual(upTo(50));
  });

  it('waits for a server that is down at the start, and says so', async () => {
    await proxy.stop();
    const { lines, log } = logged();
    const database = connect({ url: throughProxy('&serverSelectionTimeoutMS=300'), log });
    await expect(database.check()).rejects.toEqual(unavailable);
    const counting = count(database, 'c1');
    await eventually(() => lines.length >= 2, 'lines about it');
    expect(lines[0]).toMatchObject({ level: 'warn', msg: expect.stringMatching(/unavailable; trying again/), hosts: `127.0.0.1:${proxy.port}`, failures: 1 });
    await proxy.start();
    expect(await counting).toMatchObject({ changed: true });
    await database.check();
    expect(lines.at(-1)).toMatchObject({ level: 'info', msg: 'connected to the database' });
  });

  it('can be closed while it waits', async () => {
    await proxy.stop();
    const database = connect({ url: throughProxy('&serverSelectionTimeoutMS=300') });
    const counting = expect(count(database, 'c1')).rejects.toMatchObject({ kind: 'unavailable' });
    await database.close();
    await counting;
    await expect(database.check()).rejects.toMatchObject({ code: 'database_closed' });
  });

  it('writes once what a lost connection leaves in doubt', async () => {
    const database = connect({ url: throughProxy() });
    await count(database, 'c1');
    const done = { cuts: 0 };
    const cutting = setInterval(() => {
      if (done.cuts === CUTS) return;
      done.cuts += 1;
      proxy.cut();
    }, 30);
    const results = { counted: 1, failed: 0 };
    try {
      // On a machine so busy that no write ends between two cuts, one does after the last.
      while (done.cuts < CUTS || results.counted === 1) {
        await count(database, 'c1').then(
          () => (results.counted += 1),
          (error: unknown) => {
            expect(error).toEqual(unavailable);
            results.failed += 1;
          },
        );
        await nextTurn();
      }
    } finally {
      clearInterval(cutting);
    }
    expect(results.counted).toBeGreaterThan(1);
    const value = await eventuallyGet(() => valueOf(database, 'c1'));
    expect(value).toBeGreaterThanOrEqual(results.counted);
    expect(value).toBeLessThanOrEqual(results.counted + results.failed);
    expect(await sequences(connect(), 'c1')).toEqual(upTo(value));
  });

  it('fails as unavailable while there is no primary, and goes on when there is one again', async () => {
    const database = connect({ url: throughProxy('&serverSelectionTimeoutMS=500') });
    await count(database, 'c1');
    await proxy.stop();
    await expect(count(database, 'c1')).rejects.toEqual(unavailable);
    await expect(database.collection(COUNTERS).insertInOrder([{ document: { id: 'c2', createdAt: '2026-01-01T00:00:00.000Z', value: 1 } }])).rejects.toEqual(unavailable);
    await expect(database.check()).rejects.toEqual(unavailable);
    await proxy.start();
    await eventually(() => count(database, 'c1').then(() => true, () => false), 'the database');
    await database.check();
  });

  it('goes on over elections in mid-write, with every acknowledged write', async () => {
    await using set = await MongoFront.start(server.port);
    const database = connect({ url: `mongodb://${set.host}/${playground.baseName}?replicaSet=rs0&createIndexes=true` });
    await count(database, 'c1');
    let acknowledged = 1;
    let failed = 0;
    const counting = async () => {
      const error: unknown = await count(database, 'c1').then(() => undefined, (thrown: unknown) => thrown);
      if (error === undefined) return void (acknowledged += 1);
      expect(error).toEqual(unavailable);
      failed += 1;
    };
    for (const isAfterWrite of [false, true, false, true]) {
      const over = new AbortController();
      const election = set.election({ isAfterWrite, milliseconds: ELECTION_MS }).then(() => over.abort());
      while (!over.signal.aborted) await Promise.all([counting(), counting(), counting()]);
      await election;
    }
    const value = await eventuallyGet(() => valueOf(database, 'c1'));
    expect(acknowledged).toBeGreaterThan(1);
    expect(value).toBeGreaterThanOrEqual(acknowledged);
    expect(value).toBeLessThanOrEqual(acknowledged + failed);
    expect(await sequences(connect(), 'c1')).toEqual(upTo(value));
  });

  it('says that the password is wrong, never which, and goes on trying', async () => {
    await using set = await MongoFront.start(server.port);
    set.instead = (command) => ('saslStart' in command ? { ok: 0, code: 18, codeName: 'AuthenticationFailed', errmsg: 'Authentication failed.' } : undefined);
    const { lines, log } = logged();
    const database = connect({ url: `mongodb://parlance@${set.host}/${playground.baseName}?replicaSet=rs0`, password: 'not-the-password', log });
    await expect(database.check()).rejects.toEqual(unavailable);
    await eventually(() => lines.length >= 2, 'lines about it');
    for (const [tries, line] of lines.entries()) {
      expect(line).toMatchObject({ level: 'warn', msg: 'the database refused the user or its password; trying again', hosts: set.host, failures: tries + 1, reason: 'MongoServerError: Authentication failed.' });
    }
    expect(JSON.stringify(lines)).not.toContain('not-the-password');
  });

  it('has every acknowledged write after the server was killed and started again', async () => {
    const database = connect();
    let acknowledged = 0;
    let failed = 0;
    const stopping = new AbortController();
    const writing = (async () => {
      while (!stopping.signal.aborted) {
        await count(database, 'c1').then(() => (acknowledged += 1), () => (failed += 1));
        await nextTurn();
      }
    })();
    const more = async () => {
      const before = acknowledged;
      await eventually(() => acknowledged > before + 20, 'writes');
    };
    try {
      for (let life = 1; life <= 3; life += 1) {
        await more();
        await server.kill();
        await server.start();
      }
      await more();
    } finally {
      stopping.abort();
      await writing;
    }
    const value = await valueOf(database, 'c1');
    expect(value).toBeGreaterThanOrEqual(acknowledged);
    expect(value).toBeLessThanOrEqual(acknowledged + failed);
    expect(await sequences(connect(), 'c1')).toEqual(upTo(value));
  });

  it('has every acknowledged write of processes that were killed, with its event', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-mongo-'));
    const journal = join(folder, 'journal');
    const program = fileURLToPath(new URL('../../../test/storage-process.mjs', import.meta.url));
    expect(spawnSync(process.execPath, [fileURLToPath(new URL('../../../../../scripts/build.mjs', import.meta.url))]).status).toBe(0);
    const notes = async () =>
      (await readFile(journal, 'utf8').catch(() => ''))
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as { counter: string; value: number });
    const kill = async (child: ChildProcess) => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    };
    try {
      for (let life = 1; life <= 5; life += 1) {
        const before = (await notes()).length;
        const url = `${playground.url}&createIndexes=true`;
        const children = [1, 2].map((twin) => spawn(process.execPath, [program, url, '-', journal, `${life}-${twin}`], { stdio: 'inherit' }));
        const enough = 20 + random() * 50;
        await eventually(async () => (await notes()).length > before + enough, 'work of the processes');
        await Promise.all(children.map(kill));
      }
      const written = await notes();
      // The source of its events is another, and so its database.
      const database = connect({ source: 'test' });
      for (const id of ['a', 'b']) {
        const acknowledged = written.flatMap(({ counter, value }) => (counter === id ? [value] : []));
        expect(new Set(acknowledged).size).toBe(acknowledged.length);
        const value = await valueOf(database, id);
        expect(value).toBeGreaterThanOrEqual(Math.max(...acknowledged));
        expect(await sequences(database, id)).toEqual(upTo(value));
      }
      await database.close();
      await playground.look((db) => db.dropDatabase(), 'test');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

/** What it gives once the database answers again. */
async function eventuallyGet<T>(get: () => Promise<T>): Promise<T> {
  let result: { value: T } | undefined;
  await eventually(async () => {
    result = await get().then((value) => ({ value }), () => undefined);
    return result !== undefined;
  }, 'an answer');
  if (!result) throw new Error('no answer');
  return result.value;
}
