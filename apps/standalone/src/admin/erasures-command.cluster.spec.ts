import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jobCollection, type Job } from '@parlance/ingest/jobs';
import { JobErasureLog } from '@parlance/ingest/operators';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { SERVICE_NAMES } from '@parlance/runtime';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { MongoPlayground } from '../../../../libs/storage/test/mongo-playground.js';
import { runAdmin } from './run-admin.js';

const job = (id: string) => ({ id, accountId: 'acc_1', createdAt: '2026-01-01T00:00:00.000Z', status: 'completed', run: 1, revision: 1, sequence: 3, metadata: {}, options: {}, chunks: { total: 0, count: 0 }, stages: {} }) as unknown as Job;

describe('parlance-admin erasures on MongoDB', () => {
  const playground = new MongoPlayground();
  let folder: string;
  let ingest: DocumentDatabase;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-erasures-'));
    ingest = await openDocumentDatabase(playground.url, { clock: systemClock, ids: ulidGenerator(), log: silentLogger(), source: 'ingest' });
  });
  afterAll(async () => {
    await ingest.close();
    for (const service of SERVICE_NAMES) await playground.look((database) => database.dropDatabase(), service);
    await rm(folder, { recursive: true });
  });

  async function admin(...args: string[]): Promise<string> {
    let output = '';
    const code = await runAdmin(['node', 'admin', 'erasures', ...args], {
      env: { DATABASE_URL: playground.url, PARLANCE_DATA: folder },
      writeOut: (text) => (output += text),
      writeError: (text) => (output += text),
    });
    expect({ code, output }).toMatchObject({ code: 0 });
    return output;
  }

  it('print what was erased, and erase it again when a restored dump has it', async () => {
    const jobs = ingest.collection(jobCollection);
    for (const id of ['job_kept', 'job_erased']) await jobs.insert(job(id));
    await new JobErasureLog(ingest, systemClock).eraseAgain({ jobId: 'job_erased', accountId: 'acc_1', erasedAt: '' });
    const exported = await admin('export');
    expect(JSON.parse(exported)).toMatchObject({ job_id: 'job_erased', account_id: 'acc_1' });
    await writeFile(join(folder, 'erasures'), exported);

    // As a dump from before the erasure has it.
    await jobs.remove('job_erased');
    await jobs.insert(job('job_erased'));
    expect(JSON.parse(await admin('replay', join(folder, 'erasures'), '--json'))).toEqual({ erasures: 1, erased_again: 1 });
    expect((await jobs.get('job_erased'))?.document).toHaveProperty('deletedAt');
    expect((await jobs.get('job_kept'))?.document).toEqual(job('job_kept'));
    expect(JSON.parse(await admin('replay', join(folder, 'erasures'), '--json'))).toEqual({ erasures: 1, erased_again: 0 });
  });
});
