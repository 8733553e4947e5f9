import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createMetrics, readConfig, silentLogger, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, openMediaStore, type DocumentDatabase } from '@parlance/storage';
import { ingestConfig } from '../config/ingest-config.js';
import { createIngest, type Ingest } from '../ingest.js';
import { EVERYTHING, FAILURE, MEDIA, NOON, TRANSCRIPT_ONLY, transcribed } from '../jobs/job.fixture.js';
import { JobStore } from '../jobs/job-store.js';
import type { Job } from '../jobs/job.js';
import { scheduleCollection } from '../schedule/schedule.js';

const MINUTE = 60_000;

let folder: string;
let documents: DocumentDatabase;
let jobs: JobStore;
let ingest: Ingest;
let time: number;
const metrics = createMetrics();
const clock = { now: () => new Date(time) };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parlance-upkeep-'));
  time = Date.parse(NOON);
  documents = await openDocumentDatabase(`sqlite:${join(folder, 'ingest.db')}`, { clock, ids: ulidGenerator(), source: 'ingest' });
  jobs = new JobStore(documents, clock, () => undefined);
  await start();
});
afterEach(async () => {
  await documents.close();
  await rm(folder, { recursive: true });
});

async function start(): Promise<void> {
  const unused = () => Promise.reject(new Error('no media in this test'));
  metrics.clear();
  const config = readConfig(ingestConfig, { env: { JOBS_IN_FLIGHT_PER_ACCOUNT: '0' }, readFile: () => '' });
  const media = await openMediaStore(`file:${join(folder, 'media')}`);
  ingest = createIngest({ config, documents, media, bus: { erase: unused }, clock, log: silentLogger(), metrics }, { fetch: unused, prepare: unused }, unused);
}

const create = (jobId: string, options = EVERYTHING): Promise<Job> =>
  ingest.requests.create({ jobId, accountId: 'acc_1', source: { kind: 'url', url: 'https://media.example/a.mp3', fetched: false }, options });

async function createTranscribed(jobId: string, options = EVERYTHING): Promise<void> {
  await create(jobId, options);
  await jobs.apply(jobId, { type: 'started', run: 1 });
  await jobs.apply(jobId, { type: 'media_ready', run: 1, media: MEDIA, planKey: 'p', audioPrefix: 'a/', chunksTotal: 1, warnings: [] });
  await jobs.apply(jobId, transcribed());
}

/** Minutes pass with a round of the upkeep each. */
async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    time += MINUTE;
    await ingest.upkeep.runOnce();
  }
}

describe('the upkeep', () => {
  it('completes a job whose add-on stages never report', async () => {
    await createTranscribed('job_1');
    await pass(59);
    expect((await jobs.get('job_1'))?.status).toBe('processing');
    await pass(2);
    expect((await jobs.get('job_1'))?.stages).toMatchObject({ diarization: { status: 'failed' }, summary: { status: 'pending' } });
    await pass(61);
    const job = await jobs.get('job_1');
    expect(job).toMatchObject({ status: 'completed', stages: { summary: { status: 'failed', error: { code: 'stage_timeout' } } } });
    expect(job?.warnings.map(({ code }) => code)).toContain('summary_failed');
  });

  it('tells those who wait for a stage that it will not come', async () => {
    await createTranscribed('job_1');
    await pass(61);
    const told = (await documents.outbox.pending(1000)).flatMap(({ events }) => events).filter(({ type }) => type === 'stage.finished');
    expect(told.map(({ data }) => data)).toMatchObject([
      { jobId: 'job_1', run: 1, stage: 'STAGE_DIARIZATION', status: 'STAGE_STATUS_FAILED', error: { code: 'stage_timeout' } },
      { jobId: 'job_1', run: 1, stage: 'STAGE_SEARCH', status: 'STAGE_STATUS_FAILED' },
    ]);
  });

  it('gives the stages their time again after the machine was asleep', async () => {
    await createTranscribed('job_1');
    time += 10 * 60 * MINUTE;
    const search = async () => (await jobs.get('job_1'))?.stages.search.status;
    await pass(60);
    expect(await search()).toBe('pending');
    await pass(1);
    expect(await search()).toBe('failed');
  });

  it('gives the stages no more time for a restart of the service, but for one after the machine was off', async () => {
    const search = async (jobId: string) => (await jobs.get(jobId))?.stages.search.status;
    await pass(1);
    await createTranscribed('job_1');
    await pass(30);
    await start();
    await pass(31);
    expect(await search('job_1')).toBe('failed');
    await createTranscribed('job_2');
    await pass(30);
    time += 10 * 60 * MINUTE;
    await start();
    await pass(60);
    expect(await search('job_2')).toBe('pending');
    await pass(1);
    expect(await search('job_2')).toBe('failed');
  });

  it('reaches every late job, however many there are', async () => {
    for (let nth = 0; nth < 120; nth += 1) await createTranscribed(`job_${nth}`, TRANSCRIPT_ONLY);
    await pass(61);
    expect(await jobs.count('completed')).toBe(120);
  });

  it('deletes jobs that were kept for as long as they should, and no others', async () => {
    await create('job_short', { ...EVERYTHING, retentionHours: 1 });
    await create('job_long');
    for (const jobId of ['job_short', 'job_long']) await ingest.requests.cancel('acc_1', jobId);
    await pass(59);
    expect(await jobs.get('job_short')).toBeDefined();
    await pass(1);
    expect(await jobs.get('job_short')).toBeUndefined();
    expect(await jobs.get('job_long')).toBeDefined();
    expect(await ingest.erasures.get('acc_1', 'era_short')).toMatchObject({ jobId: 'job_short' });
  });

  it('lets a job live that is retried just when its time is over', async () => {
    await create('job_1', { ...EVERYTHING, retentionHours: 1 });
    await jobs.apply('job_1', { type: 'ingest_failed', run: 1, error: FAILURE });
    const { open } = ingest.erasures;
    const retried = jest.spyOn(ingest.erasures, 'open').mockImplementation(async (...receipt) => {
      await ingest.requests.retry('acc_1', 'job_1');
      await open.apply(ingest.erasures, receipt);
    });
    await pass(60);
    expect(retried).toHaveBeenCalledTimes(1);
    expect(await jobs.get('job_1')).toMatchObject({ status: 'queued', run: 2 });
  });

  it('goes on with the others when something cannot be done for one job', async () => {
    await create('job_broken', { ...EVERYTHING, retentionHours: 1 });
    for (let nth = 0; nth < 120; nth += 1) await create(`job_${nth}`, { ...EVERYTHING, retentionHours: 1 });
    for (const { id } of (await jobs.find({ where: { status: 'queued' }, limit: 200 })).jobs) await ingest.requests.cancel('acc_1', id);
    await createTranscribed('job_late', TRANSCRIPT_ONLY);
    using database = new DatabaseSync(join(folder, 'ingest.db'));
    database.exec(`CREATE TRIGGER broken BEFORE UPDATE ON documents_jobs WHEN OLD.id = 'job_broken' BEGIN SELECT RAISE(ABORT, 'broken'); END`);
    await pass(61);
    expect(await jobs.count('canceled')).toBe(1);
    expect((await jobs.get('job_late'))?.status).toBe('completed');
    database.exec('DROP TRIGGER broken');
    await pass(1);
    expect(await jobs.count('canceled')).toBe(0);
  });

  it('lets queued jobs begin whose event was lost', async () => {
    await create('job_1');
    await pass(1);
    const schedule = (await documents.collection(scheduleCollection).get('acc_1'))?.document;
    expect(schedule?.active).toEqual([{ jobId: 'job_1', run: 1 }]);
  });
});

describe('what an account has in its schedule', () => {
  const schedules = () => documents.collection(scheduleCollection);
  const active = async (accountId = 'acc_1') => (await schedules().get(accountId))?.document.active.map(({ jobId, run }) => `${jobId} ${run}`);
  const asked = async () => {
    const pending = await documents.outbox.pending(1000);
    return pending.flatMap(({ events }) => events).filter(({ type }) => type === 'ingest.requested').length;
  };

  it('is asked for again while it does not start', async () => {
    await create('job_1');
    await pass(40);
    expect(await asked()).toBe(2);
  });

  it('is seen for every account, however many jobs of another wait', async () => {
    for (let nth = 0; nth < 120; nth += 1) await create(`job_${nth}`);
    await ingest.requests.create({ jobId: 'job_last', accountId: 'acc_2', source: { kind: 'url', url: 'https://media.example/a.mp3', fetched: false }, options: EVERYTHING });
    await pass(1);
    expect(await active('acc_2')).toEqual(['job_last 1']);
  });

  it('loses jobs that have ended or are gone, though nothing else of the account waits', async () => {
    for (const nth of [1, 2, 3]) await create(`job_${nth}`);
    await pass(1);
    await jobs.apply('job_1', { type: 'ingest_failed', run: 1, error: FAILURE });
    await ingest.requests.cancel('acc_1', 'job_2');
    await ingest.requests.delete('acc_1', 'job_2');
    await jobs.apply('job_3', { type: 'started', run: 1 });
    await pass(1);
    expect(await active()).toEqual(['job_3 1']);
  });

  it('loses what an earlier run holds in the place of the next', async () => {
    for (const nth of [1, 2, 3, 4]) await create(`job_${nth}`);
    await pass(1);
    await jobs.apply('job_1', { type: 'ingest_failed', run: 1, error: FAILURE });
    await ingest.requests.retry('acc_1', 'job_1');
    await pass(1);
    expect(await active()).toEqual(['job_2 1', 'job_3 1', 'job_4 1', 'job_1 2']);
  });
});

describe('the metrics', () => {
  it('tell how many jobs wait and since when, and how stages ended', async () => {
    await create('job_waits');
    await createTranscribed('job_1');
    time += 90_000;
    await ingest.requests.cancel('acc_1', 'job_1');
    const text = await metrics.metrics();
    expect(text).toContain('parlance_jobs{status="queued"} 1');
    expect(text).toContain('parlance_queue_age_seconds 90');
    expect(text).toContain('parlance_jobs_ended_total{status="canceled"} 1');
  });
});
