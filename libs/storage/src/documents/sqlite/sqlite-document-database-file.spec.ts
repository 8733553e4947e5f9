import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openEventBus, OutboxRelay, type OutboxEvent } from '@parlance/event-bus';
import { eventually } from '@parlance/event-bus/contract';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openSqliteDatabase } from '@parlance/platform/sqlite';
import { DatabaseFixture, NOTES } from '../../contract/documents/database-fixture.js';
import { jobCreated } from '../../contract/documents/outbox.js';
import type { CollectionDefinition, Document, Query } from '../document-collection.js';
import { fieldPaths } from '../field-paths.js';
import { openDocumentDatabase } from '../open-document-database.js';
import { declareCollection } from './collection-schema.js';
import { pageSql, whereSql } from './query-sql.js';
import { MIGRATIONS, SqliteDocumentDatabase } from './sqlite-document-database.js';

describe('the file of SqliteDocumentDatabase', () => {
  let folder: string;
  const stamps = { clock: systemClock, ids: ulidGenerator(), source: 'test' };
  const path = () => join(folder, 'documents.db');
  const connect = () => SqliteDocumentDatabase.open(path(), stamps);
  const fixture = new DatabaseFixture(async () => ({ database: await connect(), connect, dispose: async () => {} }));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-documents-'));
    await fixture.setUp();
  });
  afterEach(async () => {
    await fixture.tearDown();
    await rm(folder, { recursive: true });
  });

  it.each([
    ['is removed', () => fixture.notes.remove('n1')],
    ['is removed with others', () => fixture.notes.removeWhere({ owner: 'ada' })],
  ])('has no byte of a document soon after it %s, nor has its log', async (_, remove) => {
    const said = 'what was said between two people';
    const traces = async () => (await Promise.all([path(), `${path()}-wal`].map((file) => readFile(file)))).filter((bytes) => bytes.includes(said)).length;
    await fixture.notes.insert(fixture.note('n1', 0, { body: { text: `${said} `.repeat(1000), lines: [] } }));
    expect(await traces()).toBeGreaterThan(0);
    await remove();
    await eventually(async () => (await traces()) === 0);
    await fixture.notes.insert(fixture.note('n2'));
    expect(await traces()).toBe(0);
  });

  it('is not in order any more once the disk has failed, and is closed nevertheless', async () => {
    const file = openSqliteDatabase(join(folder, 'failing.db'), MIGRATIONS);
    const database = new SqliteDocumentDatabase(file, { ...stamps, sync: () => Promise.reject(new Error('EIO')) });
    await expect(database.check()).resolves.toBeUndefined();
    await expect(database.collection(NOTES).insert(fixture.note('n1'))).rejects.toMatchObject({ code: 'storage_failed' });
    await expect(database.check()).rejects.toMatchObject({ code: 'storage_failed' });
    await expect(database.close()).rejects.toMatchObject({ code: 'storage_failed' });
    expect(file.isOpen).toBe(false);
  });

  describe('answers from an index', () => {
    const plan = (query: Query) => {
      fixture.database.collection(NOTES);
      const database = new DatabaseSync(path(), { readOnly: true });
      try {
        const { text, values } = pageSql(query, 20, fieldPaths(NOTES), NOTES.name);
        const steps = database.prepare(`EXPLAIN QUERY PLAN SELECT document FROM documents_notes WHERE ${text}`).all(...values);
        return steps.map(({ detail }) => String(detail)).filter((detail) => !detail.includes('item'));
      } finally {
        database.close();
      }
    };
    /** One search of an index with that many bounds, and no sorting. */
    const searches = (query: Query, bounds: RegExp) => {
      const steps = plan(query);
      expect(steps.filter((step) => step.startsWith('SEARCH') || step.startsWith('SCAN'))).toEqual([expect.stringMatching(bounds)]);
      expect(steps.filter((step) => step.includes('TEMP B-TREE'))).toEqual([]);
    };
    const cursorOf = async (query: Query) => {
      for (const id of ['n1', 'n2']) await fixture.notes.insert(fixture.note(id, 0, { rank: 1 }));
      return (await fixture.notes.find({ ...query, limit: 1 })).nextCursor ?? '';
    };

    it('everything in time', async () => {
      searches({}, /USING INDEX documents_notes_in_time$/);
      searches({ cursor: await cursorOf({}) }, /\(created_at<\?\)|\(created_at,id\)</);
    });

    it('equality, in time', async () => {
      const where = { owner: 'ada', state: 'open' };
      searches({ where }, /\(<expr>=\? AND <expr>=\?\)$/);
      searches({ where, cursor: await cursorOf({ where }) }, /\(<expr>=\? AND <expr>=\? AND .*created_at/);
      searches({ where: { owner: 'ada', 'labels.a': 'b' } }, /\(<expr>=\?/);
    });

    it('equality, by another field', async () => {
      const query: Query = { where: { state: 'open' }, orderBy: 'rank', direction: 'ascending' };
      searches({ ...query, range: { field: 'rank', gte: 1, lt: 3 } }, /\(<expr>=\? AND <expr>>\? AND <expr><\?\)$/);
      searches({ ...query, cursor: await cursorOf(query) }, /\(<expr>=\? AND <expr>>\?\)$/);
    });

    it('equality, among some of the documents only', () => {
      const where = { mood: "it's urgent", owner: 'ada' };
      searches({ where, orderBy: 'rank' }, /\(<expr>=\? AND <expr>=\?\)$/);
    });
  });

  it('takes its indexes from the definition that was declared last', async () => {
    await fixture.notes.insert(fixture.note('n1', 0, { slug: 'a', rank: 1 }));
    await fixture.database.close();
    const changed: CollectionDefinition<ReturnType<typeof fixture.note>> = { name: 'notes', indexes: [{ fields: [], orderBy: 'rank' }] };
    const later = await fixture.connect();
    const notes = later.collection(changed);
    await notes.insert(fixture.note('n2', 0, { slug: 'a', rank: 2 }));
    expect((await notes.find({ orderBy: 'rank' })).items.map(({ document }) => document.id)).toEqual(['n2', 'n1']);
  });

  it.each<[string, CollectionDefinition<Document>['indexes']]>([
    ['made', []],
    ['changed', [{ fields: ['state'] }]],
  ])('takes a definition that another process has %s a moment before', (_, before) => {
    const [ours, theirs] = [openSqliteDatabase(path(), MIGRATIONS), openSqliteDatabase(path(), MIGRATIONS)];
    const definition = { name: 'others', indexes: [{ fields: ['owner'] }] };
    if (before.length > 0) declareCollection(theirs, { name: 'others', indexes: before });
    const prepare = ours.prepare.bind(ours);
    let isOverlapping = true;
    ours.prepare = (sql) => {
      if (sql === 'BEGIN IMMEDIATE' && isOverlapping) {
        isOverlapping = false;
        declareCollection(theirs, definition);
      }
      return prepare(sql);
    };
    declareCollection(ours, definition);
    expect(isOverlapping).toBe(false);
    const names = prepare("SELECT name FROM sqlite_schema WHERE tbl_name = 'documents_others' AND sql LIKE 'CREATE INDEX%'").all();
    expect(names.map(({ name }) => name)).toEqual(['documents_others_in_time', expect.stringMatching(/^documents_others_by_/)]);
    for (const database of [ours, theirs]) database.close();
  });

  it('takes one definition of a collection, and none that is not one', () => {
    const { database } = fixture;
    expect(database.collection(NOTES)).toBe(database.collection({ ...NOTES }));
    expect(() => database.collection({ ...NOTES, indexes: [] })).toThrow(/two ways/);
    expect(() => database.collection({ name: 'a; DROP TABLE b', indexes: [] })).toThrow(/name of a collection/);
    expect(() => database.collection({ name: 'bad_path', indexes: [{ fields: ["a') --"] }] })).toThrow(/is not a path/);
  });

  it('says so when it can grow no more, and stores neither document nor event', async () => {
    const database = openSqliteDatabase(path(), MIGRATIONS);
    const documents = new SqliteDocumentDatabase(database, stamps);
    const notes = documents.collection(NOTES);
    const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
    database.exec(`PRAGMA max_page_count = ${pages}`);
    const large = fixture.note('n1', 0, { body: { text: 'x'.repeat(100_000), lines: [] } });
    const full = expect.objectContaining({ kind: 'unavailable', code: 'storage_full' });
    await expect(notes.insert(large, [jobCreated('n1')])).rejects.toEqual(full);
    await expect(notes.update('n1', () => ({ document: large, events: [jobCreated('n1')] }))).rejects.toEqual(full);
    expect(await notes.get('n1')).toBeUndefined();
    expect(await documents.outbox.pending(10)).toEqual([]);
    database.exec('PRAGMA max_page_count = 1000000');
    expect(await notes.insert(large, [jobCreated('n1')])).toMatchObject({ version: 1 });
    await documents.close();
  });

  it('brings the events of its documents to the bus, in the order of each document', async () => {
    const bus = await openEventBus(`sqlite:${join(folder, 'events.db')}`, { clock: systemClock, log: silentLogger() });
    const relay = new OutboxRelay({ outbox: fixture.database.outbox, bus, log: silentLogger() });
    relay.start();
    const heard: OutboxEvent[] = [];
    await bus.subscribe({ group: 'test', topic: 'parlance.jobs.v1', handlers: { 'job.created': async ({ event }) => void heard.push(event) } });
    const ids = ['n1', 'n2', 'n3'];
    for (const id of ids) await fixture.notes.insert(fixture.note(id), [jobCreated(id, 1)]);
    for (const sequence of [2, 3, 4]) {
      for (const id of ids) await fixture.notes.update(id, (current) => current && { document: current, events: [jobCreated(id, sequence)] });
    }
    await relay.close();
    await eventually(() => heard.length === 12);
    await bus.close();
    expect(await fixture.database.outbox.pending(10)).toEqual([]);
    for (const id of ids) {
      expect(heard.filter(({ key }) => key === id).map(({ data }) => data)).toEqual([1, 2, 3, 4].map((sequence) => jobCreated(id, sequence).data));
    }
  });
});

describe('the condition of a query', () => {
  it('never holds a value of the caller', () => {
    const { text, values } = whereSql({ owner: "'; DROP TABLE notes; --", "labels.' OR 1": 'x' }, fieldPaths(NOTES), 'notes');
    expect(text).not.toMatch(/DROP|OR 1/);
    expect(values).toEqual(["'; DROP TABLE notes; --", "' OR 1", 'x']);
  });
});

describe('openDocumentDatabase', () => {
  const stamps = { clock: systemClock, ids: ulidGenerator(), source: 'test' };

  it.each(['postgres://host/db', 'mongodb:host', 'sqlite:', 'documents.db'])('says what it takes when it is given %s', async (url) => {
    await expect(openDocumentDatabase(url, stamps)).rejects.toThrow(/DATABASE_URL.*(sqlite:<file>|mongodb:\/\/)/s);
  });
});
