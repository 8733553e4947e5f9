import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type Document, type DocumentCollection } from '@parlance/storage';
import { sweepExpired } from './expired-documents.js';

interface Note extends Document {
  expiresAt: string;
}

describe('a sweep', () => {
  it('removes what is over, and goes on where another process renews or removes at the same time', async () => {
    await using opened = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'parlance-sweep-'));
    opened.defer(() => rm(folder, { recursive: true }));
    const documents = await openDocumentDatabase(`sqlite:${join(folder, 'notes.db')}`, { clock: systemClock, ids: ulidGenerator(), log: silentLogger(), source: 'test' });
    opened.defer(() => documents.close());
    const notes = documents.collection<Note>({ name: 'notes', indexes: [{ fields: [], orderBy: 'expiresAt' }] });
    const note = (id: string, expiresAt: string): Note => ({ id, createdAt: '2026-01-01T00:00:00.000Z', expiresAt });
    for (const id of ['a', 'b', 'c', 'd', 'e']) await notes.insert(note(id, '2026-01-02T00:00:00.000Z'));
    await notes.insert(note('later', '2999-01-01T00:00:00.000Z'));

    const besides = Object.assign(Object.create(notes) as DocumentCollection<Note>, {
      find: async (query: Parameters<typeof notes.find>[0]) => {
        const page = await notes.find(query);
        for (const { document } of page.items.filter(({ document }) => document.id === 'b')) await notes.update('b', () => ({ document: { ...document, expiresAt: '2999-01-01T00:00:00.000Z' } }));
        await notes.remove('c');
        return page;
      },
      remove: (id: string, version?: number) => notes.remove(id, version),
    });
    await sweepExpired(besides, systemClock, 2);
    expect((await notes.find()).items.map(({ document }) => document.id).toSorted()).toEqual(['b', 'later']);
  });
});
