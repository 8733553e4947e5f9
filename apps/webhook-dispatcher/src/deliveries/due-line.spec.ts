import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { DispatcherFixture } from '../../test/dispatcher-fixture.js';
import { FairTurns } from './fair-turns.js';
import { Receivers, type ReceiverLease } from './receivers.js';

const LEASE_MS = 15_000;
const soon = () => Promise.resolve(new Date().toISOString());
const hang = () => new Promise<void>(() => undefined);

/** The database, with every document counted that is read from it. */
class CountedReads {
  documents = 0;

  of(database: DocumentDatabase): DocumentDatabase {
    const collection: DocumentDatabase['collection'] = (definition) => this.counted(database.collection(definition));
    return new Proxy(database, { get: (target, name) => (name === 'collection' ? collection : Reflect.get(target, name)) });
  }

  private counted<T extends Document>(collection: DocumentCollection<T>): DocumentCollection<T> {
    const find: DocumentCollection<T>['find'] = async (query) => {
      const page = await collection.find(query);
      this.documents += page.items.length;
      return page;
    };
    const get: DocumentCollection<T>['get'] = (id) => {
      this.documents += 1;
      return collection.get(id);
    };
    return new Proxy(collection, {
      get: (target, name) => ({ find, get } as Record<string | symbol, unknown>)[name] ?? (Reflect.get(target, name) as (...all: unknown[]) => unknown).bind(target),
    });
  }
}

describe('looking for a due receiver', () => {
  let fixture: DispatcherFixture;
  let reads: CountedReads;
  let receivers: Receivers;
  let turns: FairTurns;
  beforeEach(async () => {
    fixture = await DispatcherFixture.open();
    reads = new CountedReads();
    receivers = new Receivers(reads.of(fixture.documents), fixture.clock);
    turns = new FairTurns({ limit: 8, slowAfterMs: 3_600_000 });
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  const expectOf = (accountId: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_, nth) => receivers.expect(`${accountId} https://r${nth}.example`)));
  let lease: ReceiverLease | undefined;
  const take = async () => {
    lease = await receivers.takeDue(LEASE_MS, turns);
    return lease?.document.id;
  };
  const release = (next: () => Promise<string | undefined>) => receivers.release(lease!, undefined, next);
  const takeAndHang = async () => {
    const id = await take();
    if (id !== undefined) turns.begin(id, hang());
    return id;
  };

  it('reads next to nothing for a turn, however many of an account wait for their share', async () => {
    await expectOf('acc_hanging', 2000);
    while (await takeAndHang());
    reads.documents = 0;
    for (let nth = 0; nth < 50; nth += 1) {
      await receivers.expect(`acc_${nth} https://quick.example`);
      expect(await take()).toBe(`acc_${nth} https://quick.example`);
      await release(() => Promise.resolve(undefined));
      expect(await take()).toBeUndefined();
    }
    expect(reads.documents).toBeLessThan(50 * 10);
  });

  it('finds each of those that wait once their share is free, none twice', async () => {
    await expectOf('acc_1', 120);
    await expectOf('acc_2', 3);
    const taken: string[] = [];
    for (let id = await takeAndHang(); id; id = await takeAndHang()) taken.push(id);
    expect(taken).toHaveLength(4);
    turns = new FairTurns({ limit: 8, slowAfterMs: 3_600_000 });
    for (let id = await take(); id; id = await take()) taken.push(id);
    expect(new Set(taken).size).toBe(123);
    expect(taken).toHaveLength(123);
  });

  it('finds one again that goes back into the line at once', async () => {
    await expectOf('acc_1', 1);
    for (let turn = 0; turn < 20; turn += 1) {
      expect(await take()).toBe('acc_1 https://r0.example');
      await release(soon);
      // `soon` may be a millisecond after the last look.
      fixture.clock.advance(1);
    }
  });

  it('finds what another replica wrote with a clock that is behind', async () => {
    expect(await take()).toBeUndefined();
    const behind = new Receivers(fixture.documents, { now: () => new Date(Date.now() - 5000) });
    await behind.expect('acc_1 https://r0.example');
    fixture.clock.advance(30_000);
    expect(await take()).toBe('acc_1 https://r0.example');
  });

  it('lets the accounts take turns', async () => {
    await expectOf('acc_1', 3);
    await expectOf('acc_2', 1);
    expect([await take(), await take(), await take(), await take()].map((id) => id?.split(' ')[0])).toEqual(['acc_1', 'acc_2', 'acc_1', 'acc_1']);
  });
});

describe('the end of a turn', () => {
  it('leaves the lease to the replica that took it when this one’s had run out', async () => {
    await using fixture = await DispatcherFixture.open();
    const late = new Receivers(fixture.documents, fixture.clock);
    const next = new Receivers(fixture.documents, fixture.clock);
    await late.expect('acc_1 https://r.example');
    const ranOut = await late.takeDue(LEASE_MS);
    fixture.clock.advance(LEASE_MS + 1);
    const lease = await next.takeDue(LEASE_MS);
    expect(lease?.document.id).toBe(ranOut?.document.id);

    await late.release(ranOut!, undefined, soon);
    fixture.clock.advance(1);
    expect(await late.takeDue(LEASE_MS)).toBeUndefined();
    await next.release(lease!, undefined, soon);
    fixture.clock.advance(30_000);
    expect(await late.takeDue(LEASE_MS)).toBeDefined();
  });
});
