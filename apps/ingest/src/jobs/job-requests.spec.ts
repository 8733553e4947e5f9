import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AppError, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { Admission } from './admission/admission.js';
import { ErasureStore } from './erasure/erasure-store.js';
import { JobRequests } from './job-requests.js';
import { JobStore } from './state/job-store.js';
import { EVERYTHING } from './state/job.fixture.js';
import { AccountHolds } from '../accounts/account-holds.js';
import type { NewJob } from './state/new-job.js';

describe('jobs that are made together', () => {
  let folder: string;
  let documents: DocumentDatabase;
  let jobs: JobStore;
  let requests: JobRequests;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-jobs-'));
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'ingest.db')}`, { clock: systemClock, ids: ulidGenerator(), source: 'ingest' });
    jobs = new JobStore(documents, systemClock, () => undefined);
    requests = new JobRequests(jobs, new ErasureStore(documents, systemClock), new Admission(documents, jobs, { JOBS_IN_FLIGHT_PER_ACCOUNT: 100 }, systemClock), systemClock, new AccountHolds(documents, systemClock), { note: async () => {} });
  });
  afterEach(async () => {
    await documents.close();
    await rm(folder, { recursive: true });
  });

  const IDS = ['job_1', 'job_2', 'job_3', 'job_4'];
  const order = (jobId: string) => (): NewJob => ({ jobId, accountId: 'acc_1', source: { kind: 'url', url: 'https://media.example/a.mp3', fetched: false }, options: EVERYTHING });
  const announced = async () => (await documents.outbox.pending(100)).flatMap(({ events }) => events.map(({ type, key }) => `${type} ${key}`));

  it('are all there, told of once each, though their one write broke off half-way', async () => {
    const insertInOrder = jobs.insertInOrder.bind(jobs);
    jest.spyOn(jobs, 'insertInOrder').mockImplementationOnce(async (created) => {
      await insertInOrder(created.slice(0, 2));
      throw new AppError({ kind: 'unavailable', code: 'storage_unavailable', message: 'The connection was lost.' });
    });
    const made = await requests.createAll(IDS.map(order));
    expect(made.map((each) => each.status === 'fulfilled' && each.value.id)).toEqual(IDS);
    expect(await announced()).toEqual(IDS.map((id) => `job.created ${id}`));
  });

  it('share one entry of the outbox', async () => {
    await requests.createAll(IDS.map(order));
    expect(await documents.outbox.pending(100)).toHaveLength(1);
  });
});
