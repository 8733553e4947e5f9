import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { mongo } from 'mongoose';
import { MongoPlayground } from '../../../test/mongo-playground.js';
import { jobCreated } from '../../contract/documents/outbox.js';
import type { CollectionDefinition, Document } from '../document-collection.js';
import type { DocumentRecord } from './document-record.js';
import type { MongoDocumentDatabase } from './mongo-document-database.js';

interface Thing extends Document {
  data?: unknown;
  tags?: Record<string, string>;
  owner?: string;
  endsAt?: string;
}

const THINGS: CollectionDefinition<Thing> = { name: 'things', indexes: [{ fields: ['owner'] }, { fields: ['owner', 'tags.*'] }] };

describe('records of MongoDocumentDatabase', () => {
  let playground: MongoPlayground;
  let database: MongoDocumentDatabase;
  beforeEach(() => {
    playground = new MongoPlayground();
    database = playground.connect();
  });
  afterEach(async () => {
    await database.close();
    await playground.dispose();
  });

  const thing = (id: string, rest: Partial<Thing> = {}): Thing => ({ id, createdAt: '2026-01-01T00:00:00.000Z', ...rest });
  const records = (collection = 'things') => playground.look((db) => db.collection<DocumentRecord>(collection).find().sort({ _id: -1 }).toArray());
  const relayAll = async () => database.outbox.settle(await database.outbox.pending(1000));

  it('give any JSON back', async () => {
    const things = database.collection(THINGS);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ stringUnit: fc.constantFrom('a', '.', '$', '%', '\0', '_', '"', 'ü', '👋') }), async (data) => {
        const id = `t${(run += 1)}`;
        const expected = JSON.parse(JSON.stringify(thing(id, { data }))) as Thing;
        await things.insert(thing(id, { data }));
        expect((await things.get(id))?.document).toEqual(expected);
        await things.replace({ ...expected, owner: 'ada' }, 1);
        expect((await things.get(id))?.document).toEqual({ ...expected, owner: 'ada' });
      }),
      { numRuns: 60 },
    );
  });

  it.each(['insertOne', 'updateOne'] as const)('are changed once by an %s that the driver tried again after it had been carried out', async (operation) => {
    const things = database.collection(THINGS);
    if (operation === 'updateOne') await things.insert(thing('t1', { data: 0 }));
    const original = mongo.Collection.prototype[operation] as (...args: unknown[]) => Promise<never>;
    const tried = jest.spyOn(mongo.Collection.prototype, operation).mockImplementationOnce(async function (this: unknown, ...args: unknown[]) {
      await original.apply(this, args);
      return original.apply(this, args);
    } as never);
    try {
      await things.update('t1', (now) => ({ document: thing('t1', { data: Number(now?.data ?? 0) + 1 }), events: [jobCreated('job_1')] }));
    } finally {
      tried.mockRestore();
    }
    expect((await things.get('t1'))?.document.data).toBe(1);
    expect(await database.outbox.pending(10)).toHaveLength(1);
  });

  it('can be read by people', async () => {
    await database.collection(THINGS).insert(thing('t1', { owner: 'ada', tags: { team: 'red', 'a.b': 'c' } }));
    expect(await records()).toEqual([
      {
        _id: 't1',
        version: 1,
        write: expect.any(Number),
        document: { id: 't1', createdAt: '2026-01-01T00:00:00.000Z', owner: 'ada', tags: { team: 'red', 'a%2Eb': 'c' } },
        escaped: true,
        attributes: { tags: ['["team","red"]', '["a.b","c"]'] },
        outbox: [],
        pending: false,
      },
    ]);
  });

  it('take what a caller sends as a value, never as an operator', async () => {
    const things = database.collection(THINGS);
    await things.insert(thing('t1', { owner: 'ada', tags: { team: 'red' } }));
    const operator = { $ne: 'nobody' } as unknown as string;
    expect((await things.find({ where: { owner: operator } })).items).toEqual([]);
    expect((await things.find({ where: { 'tags.team': operator } })).items).toEqual([]);
    expect(await things.count({ id: operator })).toBe(0);
  });

  it('lose what is no longer in the document', async () => {
    const things = database.collection(THINGS);
    await things.insert(thing('t1', { owner: 'ada', tags: { 'a.b': 'c' } }));
    await things.replace(thing('t1', { owner: 'ada' }), 1);
    expect(await things.count({ owner: 'ada', 'tags.a.b': 'c' })).toBe(0);
    expect((await records())[0]).not.toHaveProperty('escaped');
  });

  describe('of a document removed before its events are relayed', () => {
    beforeEach(async () => {
      await database.collection(THINGS).insert(thing('t1', { owner: 'ada', data: 'private' }), [jobCreated('t1', 1)]);
      await database.collection(THINGS).remove('t1');
    });

    it('hold the events and nothing else', async () => {
      const things = database.collection(THINGS);
      expect(JSON.stringify(await records())).not.toMatch(/private|"ada"/);
      expect([await things.get('t1'), await things.count(), await things.count({ id: 't1' }), (await things.find()).items]).toEqual([undefined, 0, 0, []]);
      expect([await things.remove('t1'), await things.removeWhere({ id: 't1' })]).toEqual([false, 0]);
      await expect(things.replace(thing('t1'), 1)).rejects.toMatchObject({ code: 'version_conflict' });
      expect(await database.outbox.pending(10)).toHaveLength(1);
    });

    it('are gone once the events are', async () => {
      await relayAll();
      expect(await records()).toEqual([]);
    });

    it('make room for a new document, whose events come after', async () => {
      const things = database.collection(THINGS);
      expect(await things.insert(thing('t1', { owner: 'bob' }), [jobCreated('t1', 2)])).toMatchObject({ version: 1 });
      await expect(things.insert(thing('t1'))).rejects.toMatchObject({ code: 'duplicate' });
      expect(await things.count({ owner: 'bob' })).toBe(1);
      const events = (await database.outbox.pending(10)).flatMap((pending) => pending.events);
      expect(events.map(({ data }) => 'sequence' in data && data.sequence)).toEqual([1, 2]);
      await relayAll();
      expect(await things.get('t1')).toEqual({ document: thing('t1', { owner: 'bob' }), version: 1 });
      expect((await records())[0]).toMatchObject({ pending: false, outbox: [] });
    });
  });

  it('leave the index of the outbox also when a relay was killed on the way', async () => {
    await database.collection(THINGS).insert(thing('t1'), [jobCreated('t1', 1)]);
    await playground.look((db) => db.collection<DocumentRecord>('things').updateOne({ _id: 't1' }, { $set: { outbox: [] } }));
    expect(await database.outbox.pending(10)).toEqual([]);
    expect((await records())[0]).toMatchObject({ pending: false });
    expect((await records())[0]).not.toHaveProperty('pendingSince');
  });

  it('tell the server when it may remove them, where the definition says so', async () => {
    const lasting: CollectionDefinition<Thing> = { name: 'lasting', indexes: [], expires: { field: 'endsAt', afterSeconds: 60 } };
    const collection = database.collection(lasting);
    await collection.insert(thing('never'));
    await collection.insert(thing('later', { endsAt: '2199-01-01T00:00:00.000Z' }));
    expect((await records('lasting')).map(({ _id, expiresAt }) => [_id, expiresAt])).toEqual([
      ['never', undefined],
      ['later', new Date('2199-01-01T00:01:00.000Z')],
    ]);
    await collection.replace(thing('later'), 1);
    expect((await records('lasting')).map(({ expiresAt }) => expiresAt)).toEqual([undefined, undefined]);
    const indexes = await playground.look((db) => db.collection('lasting').listIndexes().toArray());
    expect(indexes).toContainEqual(
      expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0, partialFilterExpression: { pending: false } }),
    );
  });
});
