import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { Admission } from './jobs/admission/admission.js';
import { ErasureStore } from './jobs/erasure/erasure-store.js';
import { JobRequests } from './jobs/job-requests.js';
import { JobStore } from './jobs/state/job-store.js';
import { chunkDone, EVERYTHING, mediaReady, NOON, transcribed } from './jobs/state/job.fixture.js';
import type { JobInput } from './jobs/state/job-input.js';
import { createJob } from './jobs/state/new-job.js';
import { AccountHolds } from './accounts/account-holds.js';
import { openStage, StuckJobs } from './operators.js';

const started: JobInput = { type: 'started', run: 1 };
const MINUTE_MS = 60_000;

describe('jobs that make no progress', () => {
  const opened = new AsyncDisposableStack();
  let now = new Date(NOON);
  const clock = { now: () => now };
  let documents: DocumentDatabase;
  let jobs: JobStore;
  let stuck: StuckJobs;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-stuck-'));
    opened.defer(() => rm(folder, { recursive: true }));
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'ingest.db')}`, { clock, ids: ulidGenerator(), log: silentLogger(), source: 'ingest' });
    opened.defer(() => documents.close());
    jobs = new JobStore(documents, clock, () => {});
    stuck = new StuckJobs(documents, clock);
  });
  afterAll(() => opened.disposeAsync());

  async function make(jobId: string, inputs: readonly JobInput[]): Promise<void> {
    await jobs.insertIfAbsent(createJob({ jobId, accountId: 'acc_1', source: { kind: 'url', url: 'https://media.example/a.mp3', fetched: false }, options: EVERYTHING }, now.toISOString()));
    for (const input of inputs) await jobs.apply(jobId, input);
  }
  const pending = async () => (await documents.outbox.pending(100)).flatMap(({ events }) => events.map(({ type }) => type));

  it('are found by how long nothing changed, those with nothing open never', async () => {
    await make('job_fetching', [started]);
    await make('job_chunks', [started, mediaReady(), chunkDone(0)]);
    await make('job_ended', [started, { type: 'cancel' }]);
    now = new Date(now.getTime() + 29 * MINUTE_MS);
    await make('job_fresh', [started]);
    expect(await stuck.list(30, 10)).toEqual([]);
    now = new Date(now.getTime() + 2 * MINUTE_MS);
    const found = await stuck.list(30, 10);
    expect(found.map((job) => [job.id, openStage(job)])).toEqual(expect.arrayContaining([['job_fetching', 'ingest'], ['job_chunks', 'transcription']]));
    expect(found).toHaveLength(2);
    expect(await stuck.list(30, 1)).toHaveLength(1);
    expect(await stuck.atWork('acc_1')).toBe(3);
  });

  it('can be failed, which tells their callers', async () => {
    expect(await stuck.fail('job_fetching')).toMatchObject({ status: 'failed', error: { code: 'internal', retryable: true }, stages: { ingest: { status: 'failed' } } });
    expect(await pending()).toContain('job.failed');
    expect((await stuck.list(30, 10)).map(({ id }) => id)).toEqual(['job_chunks']);
  });

  it('can be begun again, with the chunks that are done', async () => {
    expect(await stuck.retry('job_chunks')).toMatchObject({ status: 'queued', run: 2, chunks: { count: 1 } });
  });

  it('begun again, are in flight like others, also where their account has no room', async () => {
    const admission = new Admission(documents, jobs, { JOBS_IN_FLIGHT_PER_ACCOUNT: 2 }, clock);
    const source = { kind: 'url', url: 'https://media.example/a.mp3', fetched: false } as const;
    const requests = new JobRequests(jobs, new ErasureStore(documents, clock), admission, clock, new AccountHolds(documents, clock), { note: async () => {} });
    const create = (jobId: string) => requests.create({ jobId, accountId: 'acc_full', source, options: EVERYTHING });
    for (const jobId of ['job_full_1', 'job_full_2']) await create(jobId);
    await admission.settle('acc_full', 'job_full_1', await stuck.fail('job_full_1'));
    now = new Date(now.getTime() + 1);
    await create('job_full_3');
    expect(await stuck.retry('job_full_1')).toMatchObject({ status: 'queued', run: 2 });
    await requests.cancel('acc_full', 'job_full_3');
    await admission.settle('acc_full', 'job_full_3', await jobs.get('job_full_3'));
    await expect(create('job_full_4')).rejects.toMatchObject({ code: 'too_many_jobs' });
    // A place of a run that did not begin is free again.
    await expect(stuck.retry('job_full_3')).rejects.toMatchObject({ code: 'invalid_state' });
    await requests.cancel('acc_full', 'job_full_1');
    now = new Date(now.getTime() + 1);
    await create('job_full_4');
  });

  it('lose only their add-ons when they have a transcript', async () => {
    await make('job_add_ons', [started, mediaReady(), transcribed()]);
    const failed = await stuck.fail('job_add_ons');
    expect(failed).toMatchObject({ status: 'completed', stages: { summary: { status: 'failed' }, transcription: { status: 'completed' } } });
    expect(await stuck.retry('job_add_ons')).toMatchObject({ status: 'completed', run: 2, stages: { summary: { status: 'pending' } } });
  });

  it('must be there', async () => {
    await expect(stuck.fail('job_none')).rejects.toMatchObject({ code: 'not_found' });
  });
});
