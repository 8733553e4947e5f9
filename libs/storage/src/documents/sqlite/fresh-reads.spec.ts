import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Freshness, silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import type { CollectionDefinition, Document, DocumentCollection, DocumentDatabase } from '../document-collection.js';
import { openDocumentDatabase } from '../open-document-database.js';
import { FreshReads } from './fresh-reads.js';

interface Note extends Document {
  owner: string;
  text: string;
}

const note = (id: string, text = 'first'): Note => ({ id, createdAt: '2026-03-01T09:30:00.000Z', owner: 'ada', text });

const NOTES: CollectionDefinition<Note> = { name: 'notes', indexes: [{ fields: ['owner'] }], freshness: true };

describe('the freshness of a document that was read', () => {
  let folder: string;
  const open = () => openDocumentDatabase(`sqlite:${join(folder, 'documents.db')}`, { clock: systemClock, ids: ulidGenerator(), log: silentLogger(), source: 'test' });
  let database: DocumentDatabase;
  let notes: DocumentCollection<Note>;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-documents-'));
    database = await open();
    notes = database.collection(NOTES);
    await notes.insert(note('n1'));
    await notes.insert(note('n2'));
  });
  afterEach(async () => {
    await database.close();
    await rm(folder, { recursive: true });
  });

  const read = async (id: string): Promise<Freshness> => {
    const freshness = (await notes.get(id))?.freshness;
    if (!freshness) throw new Error('no freshness');
    return freshness;
  };

  it.each<[string, () => Promise<unknown>]>([
    ['replaced', () => notes.replace(note('n1', 'second'), 1)],
    ['updated', () => notes.update('n1', (current) => current && { document: { ...current, text: 'second' } })],
    ['updated by an event', () => notes.update('n1', (current) => current && { document: { ...current, text: 'second' } }, { eventId: 'evt_1' })],
    ['removed', () => notes.remove('n1')],
    ['removed at a version', () => notes.remove('n1', 1)],
    ['removed with others', () => notes.removeWhere({ owner: 'ada' })],
  ])('ends when it is %s', async (_, write) => {
    const freshness = await read('n1');
    await write();
    expect(freshness.isFresh).toBe(false);
    const again = await notes.get('n1');
    expect(again?.freshness?.isFresh ?? true).toBe(true);
  });

  it('ends before anybody reads what was written, also in the middle of other writes', async () => {
    const seen: string[] = [];
    let held: { text: string; freshness: Freshness } | undefined;
    const look = async () => {
      const stored = await notes.get('n1');
      if (held?.freshness.isFresh && held.text !== stored?.document.text) seen.push(`${held.text} for ${stored?.document.text}`);
      if (stored?.freshness) held = { text: stored.document.text, freshness: stored.freshness };
    };
    const writes = Array.from({ length: 50 }, async (_, index) => {
      await look();
      await notes.update('n1', (current) => current && { document: { ...current, text: String(index) } });
      await look();
    });
    await Promise.all(writes);
    expect(seen).toEqual([]);
    expect(held?.text).toBe('49');
  });

  it('lasts while others change and while nothing is changed', async () => {
    const freshness = await read('n1');
    await notes.update('n2', (current) => current && { document: { ...current, text: 'second' } });
    await notes.update('n1', () => undefined);
    await expect(notes.insert(note('n1', 'again'))).rejects.toMatchObject({ kind: 'conflict' });
    expect(freshness.isFresh).toBe(true);
  });

  it('ends when another process writes, as an operator does beside the server', async () => {
    const freshness = await read('n1');
    const beside = await open();
    await beside.collection(NOTES).update('n1', (current) => current && { document: { ...current, text: 'second' } });
    await beside.close();
    expect(freshness.isFresh).toBe(false);
    expect((await notes.get('n1'))?.document.text).toBe('second');
    expect((await read('n1')).isFresh).toBe(true);
  });

  it('ends when the database is closed', async () => {
    const freshness = await read('n1');
    await database.close();
    expect(freshness.isFresh).toBe(false);
  });

  it('is not kept for a collection that does not ask for it', async () => {
    const others = database.collection<Note>({ name: 'others', indexes: [] });
    await others.insert(note('n1'));
    expect(await others.get('n1')).not.toHaveProperty('freshness');
  });

  it('is given up for the one known longest when there are too many', () => {
    const reads = new FreshReads(() => 1, 2);
    const [first, second, third] = ['n1', 'n2', 'n3'].map((id) => reads.of(id, reads.now()));
    expect([first?.isFresh, second?.isFresh, third?.isFresh]).toEqual([false, true, true]);
    expect(reads.of('n1', reads.now()).isFresh).toBe(true);
  });
});
