import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type Document } from '@parlance/storage';
import { runAdmin } from './run-admin.js';

/** As the search service has it. */
interface IndexedJob extends Document {
  accountId: string;
  state: string;
  startedRun: number;
  finishedRun: number;
  passages: number;
  embedder: string;
}

const opened = new AsyncDisposableStack();
let dataFolder: string;

beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'parlance-admin-rebuild-'));
  opened.defer(() => rm(dataFolder, { recursive: true }));
});
afterAll(() => opened.disposeAsync());

async function admin(...args: string[]): Promise<{ code: number; output: string }> {
  let output = '';
  const code = await runAdmin(['node', 'parlance-admin', ...args], { env: { PARLANCE_DATA: dataFolder }, writeOut: (text) => void (output += text), writeError: () => {} });
  return { code, output };
}

describe('parlance-admin search rebuild', () => {
  it('fails where search has no documents', async () => {
    expect((await admin('search', 'rebuild')).code).toBe(1);
  });

  it('asks for every transcript that was indexed, and says how many are left', async () => {
    await mkdir(join(dataFolder, 'documents'));
    const documents = await openDocumentDatabase(`sqlite:${join(dataFolder, 'documents', 'search.db')}`, { clock: systemClock, ids: ulidGenerator(), log: silentLogger(), source: 'search' });
    opened.defer(() => documents.close());
    const jobs = documents.collection<IndexedJob>({ name: 'indexed_jobs', indexes: [{ fields: ['accountId', 'embedder'] }, { fields: ['embedder'] }] });
    const job = { createdAt: '2026-01-01T00:00:00.000Z', accountId: 'acc_1', state: 'active', startedRun: 1, finishedRun: 1, passages: 3, embedder: 'one' };
    for (let number = 0; number < 150; number++) await jobs.insert({ ...job, id: `job_${number}` });
    await jobs.insert({ ...job, id: 'job_at_work', finishedRun: 0 });
    expect(await admin('search', 'rebuild', '--status')).toEqual({ code: 0, output: '0 transcripts to be reindexed\n' });
    expect(await admin('search', 'rebuild')).toEqual({ code: 0, output: '150 transcripts to be reindexed\n' });
    expect(JSON.parse((await admin('search', 'rebuild', '--status', '--json')).output)).toEqual({ transcripts_left: 150 });
  });
});
