import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OutboxRelay, type OutboxEvent } from '@parlance/event-bus';
import { eventually } from '@parlance/event-bus/contract';
import { silentLogger } from '@parlance/platform';
import { chanceFor } from '@parlance/platform/contract';
import { MongoPlayground } from '../../../test/mongo-playground.js';
import { jobCreated } from '../../contract/documents/outbox.js';
import { NOTES } from '../../contract/documents/database-fixture.js';
import type { MongoDocumentDatabase } from './mongo-document-database.js';

const { random } = chanceFor('mongo-relays');

const sequenceOf = ({ data }: OutboxEvent) => ('sequence' in data ? data.sequence : undefined);

describe('relays of several processes on one MongoDB', () => {
  let playground: MongoPlayground;
  const databases: MongoDocumentDatabase[] = [];
  const heard: OutboxEvent[] = [];
  beforeEach(() => {
    playground = new MongoPlayground();
    heard.length = 0;
  });
  afterEach(async () => {
    await Promise.all(databases.splice(0).map((database) => database.close()));
    await playground.dispose();
  });

  const connect = (relayTimeoutMs?: number) => {
    const database = playground.connect({ ...(relayTimeoutMs !== undefined && { relayTimeoutMs }) });
    databases.push(database);
    return database;
  };
  /** Takes a batch whole, each at its own pace. */
  const bus = { publish: async (events: readonly OutboxEvent[]) => void (await sleep(random() * 10), heard.push(...events)) };
  const relayOf = (database: MongoDocumentDatabase) => {
    const relay = new OutboxRelay({ outbox: database.outbox, bus, log: silentLogger(), batchSize: 5, pollMs: 20 });
    relay.start();
    return relay;
  };
  const note = (id: string) => ({ id, createdAt: '2026-01-01T00:00:00.000Z', owner: 'ada', state: 'open' });
  /** Numbers the events of each document by the document's own count. */
  const write = (database: MongoDocumentDatabase, id: string) =>
    database.collection(NOTES).update(id, (current) => {
      const rank = (current?.rank ?? 0) + 1;
      return { document: { ...note(id), rank }, events: [jobCreated(id, rank)] };
    });
  /** In the order of their first arrival. */
  const firstHeard = (id: string) => [...new Set(heard.filter(({ key }) => key === id).map(sequenceOf))];

  it('lose nothing and reorder nothing, whoever writes', async () => {
    const replicas = [connect(), connect(), connect()];
    const relays = replicas.map(relayOf);
    const ids = ['n1', 'n2', 'n3', 'n4'];
    await Promise.all(
      replicas.map(async (database) => {
        for (let round = 0; round < 10; round += 1) for (const id of ids) await write(database, id);
      }),
    );
    await eventually(() => ids.every((id) => firstHeard(id).length === 30), 'all events');
    await Promise.all(relays.map((relay) => relay.close()));
    for (const id of ids) expect(firstHeard(id)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    expect(await connect().outbox.pending(10)).toEqual([]);
  });

  it('leave each other’s events alone', async () => {
    const [one, other] = [connect(), connect()];
    const ids = Array.from({ length: 20 }, (_, index) => `n${index}`);
    await Promise.all([one.outbox.pending(1), other.outbox.pending(1)]);
    await eventually(async () => {
      const relays = await playground.look((database) => database.collection('outbox.relays').countDocuments());
      return relays === 2;
    }, 'both relays');
    // Each has seen the other when it looks again.
    await sleep(2100);
    await Promise.all([one.outbox.pending(1), other.outbox.pending(1)]);
    for (const id of ids) await write(one, id);
    expect(await other.outbox.pending(100)).toEqual([]);
    expect(await one.outbox.pending(100)).toHaveLength(ids.length);
  });

  it('take over from one that closes at once', async () => {
    const [one, other] = [connect(), connect()];
    await one.outbox.pending(1);
    await write(one, 'n1');
    await one.close();
    expect(await other.outbox.pending(10)).toHaveLength(1);
  });

  it('take over from one that shows no sign of life', async () => {
    const [one, other] = [connect(), connect(500)];
    await one.outbox.pending(1);
    await write(one, 'n1');
    await eventually(async () => (await other.outbox.pending(10)).length === 1, 'the other’s event');
  });

  it('see a document’s events in its own order, also when the clocks of its writers differ', async () => {
    const early = playground.connect({ clock: { now: () => new Date('2020-01-01T00:00:00.000Z') } });
    databases.push(early);
    const now = connect();
    await write(now, 'n1');
    await write(early, 'n1');
    await write(now, 'n2');
    await write(now, 'n1');
    const pending = (await connect().outbox.pending(10)).flatMap(({ events }) => events);
    expect(pending.filter(({ key }) => key === 'n1').map(sequenceOf)).toEqual([1, 2, 3]);
    expect(pending).toHaveLength(4);
  });
});
