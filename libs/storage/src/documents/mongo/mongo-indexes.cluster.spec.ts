import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/event-bus/contract';
import { createLogger } from '@parlance/platform';
import { MongoPlayground } from '../../../test/mongo-playground.js';
import { NOTES } from '../../contract/documents/database-fixture.js';

describe('indexes of MongoDocumentDatabase', () => {
  let playground: MongoPlayground;
  beforeEach(() => {
    playground = new MongoPlayground();
  });
  afterEach(() => playground.dispose());

  const note = { id: 'n1', createdAt: '2026-01-01T00:00:00.000Z', owner: 'ada', state: 'open' };
  const indexes = (collection = 'notes') => playground.look((database) => database.collection(collection).listIndexes().toArray());

  it('are not created by a start, which says that they are missing', async () => {
    const lines: string[] = [];
    const destination = new Writable({ write: (line, _, done) => (lines.push(String(line)), done()) });
    const database = playground.connect({ url: playground.url, log: createLogger({ level: 'warn', destination }) });
    await database.collection(NOTES).insert(note);
    await eventually(() => lines.length > 0, 'a line about it');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ collection: 'notes', missing: expect.arrayContaining(['parlance_owner_by_createdAt', 'parlance_outbox']) });
    expect((await indexes()).map(({ name }) => name)).toEqual(['_id_']);
    await database.close();
  });

  it('are created by a command, once, and serve equality, then order, then id', async () => {
    const database = playground.connect({ url: playground.url });
    database.collection(NOTES);
    const { created, unused } = await database.ensureIndexes();
    expect(created).toContain('notes.parlance_owner_state_by_createdAt');
    expect(unused).toEqual([]);
    expect(await indexes()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'parlance_by_createdAt', key: { 'document.createdAt': 1, _id: 1 } }),
        expect.objectContaining({ key: { 'document.state': 1, 'document.rank': 1, _id: 1 } }),
        expect.objectContaining({ key: { 'document.owner': 1, 'attributes.labels': 1, 'document.createdAt': 1, _id: 1 } }),
        expect.objectContaining({ key: { 'unique.owner_slug': 1 }, unique: true, sparse: true }),
        expect.objectContaining({ key: { pendingSince: 1, _id: 1 }, partialFilterExpression: { pending: true } }),
      ]),
    );
    expect(await database.ensureIndexes()).toEqual({ created: [], unused: [] });
    await database.close();
  });

  it('that no definition has any more are named, and dropped when asked; others’ never', async () => {
    const old = playground.connect({ url: playground.url });
    old.collection({ ...NOTES, indexes: [...NOTES.indexes, { fields: ['starred'] }] });
    await old.ensureIndexes();
    await old.close();
    await playground.look((database) => database.collection('notes').createIndex({ 'document.body': 1 }, { name: 'of_the_operator' }));

    const database = playground.connect({ url: playground.url });
    database.collection(NOTES);
    expect(await database.ensureIndexes()).toEqual({ created: [], unused: ['notes.parlance_starred_by_createdAt'] });
    await database.ensureIndexes({ dropUnused: true });
    const names = (await indexes()).map(({ name }) => name);
    expect(names).toContain('of_the_operator');
    expect(names).not.toContain('parlance_starred_by_createdAt');
    await database.close();
  });
});
