import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type Document } from '@parlance/storage';
import { erasedIn } from './erased-in.js';

const AT = '2026-01-01T00:00:00.000Z';

describe('the erasures of an old data folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-erased-in-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are read, also from its write-ahead log, without a change of its files', async () => {
    const [running, old] = ['running', 'old'].map((name) => join(folder, name, 'documents')) as [string, string];
    await mkdir(running, { recursive: true });
    const documents = await openDocumentDatabase(`sqlite:${join(running, 'ingest.db')}`, { clock: systemClock, ids: ulidGenerator(), source: 'ingest' });
    const insert = (name: string, document: Document & Record<string, unknown>) => documents.collection<Document>({ name, indexes: [] }).insert(document);
    await insert('jobs', { id: 'job_1', createdAt: AT, deletedAt: AT });
    await insert('jobs', { id: 'job_2', createdAt: AT, accountId: 'acc_1' });
    for (const jobId of ['job_1', 'job_2']) await insert('erasures', { id: `era_${jobId}`, createdAt: AT, jobId, accountId: 'acc_1', items: [] });
    // As a process leaves it that was killed.
    await cp(running, old, { recursive: true });
    await documents.close();
    const files = () => Promise.all(['ingest.db', 'ingest.db-wal'].map((name) => readFile(join(old, name))));
    const before = await files();
    expect(before[1]?.byteLength).toBeGreaterThan(0);
    expect(await erasedIn(join(folder, 'old'))).toEqual([{ jobId: 'job_1', accountId: 'acc_1', erasedAt: AT }]);
    expect(await files()).toEqual(before);
  });
});
