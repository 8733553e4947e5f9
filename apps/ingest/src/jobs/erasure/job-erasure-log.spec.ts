import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { isDeleted, jobCollection, type Job } from '../state/job.js';
import { chunkDone, mediaReady, play, queuedJob } from '../state/job.fixture.js';
import { JobErasureLog } from './job-erasure-log.js';

describe('a job that is erased again after a restore', () => {
  let folder: string;
  let documents: DocumentDatabase;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-erasure-log-'));
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'ingest.db')}`, { clock: systemClock, ids: ulidGenerator(), log: silentLogger(), source: 'ingest' });
  });
  afterEach(async () => {
    await documents.close();
    await rm(folder, { recursive: true });
  });

  const atWork = (): Job => play(queuedJob(), [{ type: 'started', run: 1 }, mediaReady(), chunkDone(0), chunkDone(1)]).job;
  /** As the database has it, without what is sealed. */
  const sealed = (job: Job): Job => {
    const fields = new Set<string>(jobCollection.sealed?.fields);
    return Object.fromEntries(Object.entries(job).filter(([name]) => !fields.has(name))) as unknown as Job;
  };

  it.each([['at work', atWork, [120_000]], ['queued', queuedJob, []]])('needs no key, and is billed as with one (%s)', async (_, make, bills) => {
    const jobs = documents.collection(jobCollection);
    await jobs.insert(make());
    await jobs.insert({ ...sealed(make()), id: 'job_2' });
    const log = new JobErasureLog(documents, systemClock);
    const billsOf = async (jobId: string) => {
      expect(await log.eraseAgain({ jobId, accountId: 'acc_1', erasedAt: '' })).toMatchObject({ type: 'job.deleted', data: { jobId } });
      const erased = (await jobs.get(jobId))?.document;
      return erased && isDeleted(erased) && (erased.bills ?? []).map(({ milliseconds }) => milliseconds);
    };
    expect([await billsOf('job_1'), await billsOf('job_2')]).toEqual([bills, bills]);
  });
});
