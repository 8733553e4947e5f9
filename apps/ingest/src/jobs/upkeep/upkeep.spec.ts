import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { common } from '@parlance/contracts';
import { AppError, createMetrics, readConfig, silentLogger, ulidGenerator } from '@parlance/platform';
import { SERVICE_NAMES } from '@parlance/runtime';
import { openDocumentDatabase, openMediaStore, type DocumentDatabase } from '@parlance/storage';
import { openTaskQueue, type TaskQueue } from '@parlance/task-queue';
import { ingestApplication, type IngestUnderTest } from '../../../test/ingest-application.js';
import { AccountHolds } from '../../accounts/account-holds.js';
import { ingestConfig } from '../../ingest.config.js';
import { chunkDone, EVERYTHING, FAILURE, MEDIA, mediaReady, NOON, TRANSCRIPT_ONLY, transcribed } from '../state/job.fixture.js';
import { JobStore } from '../state/job-store.js';
import type { AddOn, Job } from '../state/job.js';
import { scheduleCollection } from '../schedule/schedule.js';

const MINUTE = 60_000;

const findEngine = async (model: string) => (model === 'gone' ? new AppError({ kind: 'not_found', code: 'model_unknown', message: 'There is no speech engine gone.' }) : ('present' as const));

let folder: string;
let documents: DocumentDatabase;
let jobs: JobStore;
let ingest: IngestUnderTest;
let tasks: TaskQueue;
let time: number;
const metrics = createMetrics();
const clock = { now: () => new Date(time) };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parlance-upkeep-'));
  time = Date.parse(NOON);
  documents = await openDocumentDatabase(`sqlite:${join(folder, 'ingest.db')}`, { clock, ids: ulidGenerator(), source: 'ingest' });
  jobs = new JobStore(documents, clock, () => undefined);
  tasks = await openTaskQueue(`sqlite:${join(folder, 'tasks.db')}`, { clock, log: silentLogger(), isOwner: true });
  await start();
});
afterEach(async () => {
  await ingest.close();
  await tasks.close();
  await documents.close();
  await rm(folder, { recursive: true });
});

async function start(): Promise<void> {
  const unused = () => Promise.reject(new Error('no media in this test'));
  metrics.clear();
  const config = readConfig(ingestConfig, { env: { JOBS_IN_FLIGHT_PER_ACCOUNT: '0' }, readFile: () => '' });
  const media = await openMediaStore(`file:${join(folder, 'media')}`);
  ingest = await ingestApplication({ config, documents, media, tasks, clock, metrics, scratchFolder: folder, intake: { fetch: unused, prepare: unused }, engineLimit: { requireEngine: async () => {}, find: findEngine } });
}

async function restart(): Promise<void> {
  await ingest.close();
  await start();
}

const create = (jobId: string, options = EVERYTHING): Promise<Job> =>
  ingest.requests.create({ jobId, accountId: 'acc_1', source: { kind: 'url', url: 'https://media.example/a.mp3', fetched: false }, options });

async function createTranscribed(jobId: string, options = EVERYTHING): Promise<void> {
  await create(jobId, options);
  await jobs.apply(jobId, { type: 'started', run: 1 });
  await jobs.apply(jobId, { type: 'media_ready', run: 1, media: MEDIA, planKey: 'p', audioPrefix: 'a/', chunksTotal: 1, warnings: [] });
  await jobs.apply(jobId, transcribed());
}

async function begin(jobId: string, ...stages: AddOn[]): Promise<void> {
  for (const stage of stages) await jobs.apply(jobId, { type: 'stage_started', run: 1, stage, at: new Date(time).toISOString() });
}

/** The consumer of media.ready hands the chunks out. */
const media = async (jobId: string) => {
  const consumer = ingest.consumers.find(({ topic }) => topic === 'parlance.media.v1');
  const event = { type: 'media.ready', data: { jobId, accountId: 'acc_1', run: 1 } };
  await consumer?.handlers['media.ready']?.({ event } as never);
};

/** The consumer of job.failed removes what has expired. */
const failed = async (jobId: string) => {
  const consumer = ingest.consumers.find(({ topic }) => topic === 'parlance.jobs.v1');
  await consumer?.handlers['job.failed']?.({ event: { type: 'job.failed', data: { jobId, accountId: 'acc_1', run: 1 } } } as never);
};

/** Minutes pass with a round of the upkeep each. */
async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    time += MINUTE;
    await ingest.upkeep.runOnce();
  }
}

describe('the upkeep', () => {
  it('fails a job whose chunks are for an engine that is no longer configured, and no other', async () => {
    const transcribing = async (jobId: string, model: string) => {
      await create(jobId, { ...TRANSCRIPT_ONLY, model });
      await jobs.apply(jobId, { type: 'started', run: 1 });
      await jobs.apply(jobId, mediaReady());
    };
    await transcribing('job_1', 'gone');
    await transcribing('job_2', 'fast');
    await pass(4);
    expect(await jobs.get('job_1')).toMatchObject({ status: 'processing' });
    await pass(1);
    expect(await jobs.get('job_1')).toMatchObject({ status: 'failed', error: { code: 'model_unknown', retryable: false } });
    expect(await jobs.get('job_2')).toMatchObject({ status: 'processing' });
  });

  it('completes a job whose add-on stages start and never end', async () => {
    await createTranscribed('job_1');
    await begin('job_1', 'diarization', 'search');
    await pass(59);
    expect((await jobs.get('job_1'))?.status).toBe('processing');
    await pass(2);
    expect((await jobs.get('job_1'))?.stages).toMatchObject({ diarization: { status: 'failed' }, summary: { status: 'pending' } });
    await begin('job_1', 'summary', 'highlights');
    await pass(61);
    const job = await jobs.get('job_1');
    expect(job).toMatchObject({ status: 'completed', stages: { summary: { status: 'failed', error: { code: 'stage_timeout' } } } });
    expect(job?.warnings.map(({ code }) => code)).toContain('summary_failed');
  });

  it('reports the end of a stage that timed out to those who wait for it', async () => {
    await createTranscribed('job_1');
    await begin('job_1', 'diarization', 'search');
    await pass(61);
    const told = (await documents.outbox.pending(1000)).flatMap(({ events }) => events).filter(({ type }) => type === 'stage.finished');
    expect(told.map(({ data }) => data)).toMatchObject([
      { jobId: 'job_1', run: 1, stage: 'STAGE_DIARIZATION', status: 'STAGE_STATUS_FAILED', error: { code: 'stage_timeout' } },
      { jobId: 'job_1', run: 1, stage: 'STAGE_SEARCH', status: 'STAGE_STATUS_FAILED' },
    ]);
  });

  it('ends a silent stage in time while another one reports again and again that it waits', async () => {
    const waits = () => jobs.apply('job_1', { type: 'stage_started', run: 1, stage: 'search', at: new Date(time).toISOString(), isWaiting: true });
    await createTranscribed('job_1');
    await begin('job_1', 'diarization', 'search');
    const before = await jobs.get('job_1');
    for (let minute = 0; minute < 60; minute += 4) {
      await pass(4);
      await waits();
    }
    expect(await jobs.get('job_1')).toMatchObject({ revision: before?.revision, updatedAt: before?.updatedAt, stages: { search: { waitedUntil: new Date(time).toISOString() } } });
    await pass(1);
    expect((await jobs.get('job_1'))?.stages).toMatchObject({ diarization: { status: 'failed', error: { code: 'stage_timeout' } }, search: { status: 'running' } });
  });

  it('lets a stage wait for a place for hours, and asks for it again within five minutes in case its event was lost', async () => {
    await createTranscribed('job_1', TRANSCRIPT_ONLY);
    await documents.outbox.settle(await documents.outbox.pending(1000));
    const before = await jobs.get('job_1');
    await pass(5);
    const requested = async () => (await documents.outbox.pending(1000)).flatMap(({ events }) => events).filter(({ type }) => type === 'stage.requested').map(({ data }) => data);
    expect(await requested()).toMatchObject([{ jobId: 'job_1', run: 1, stage: 'STAGE_SEARCH', planKey: 'p' }]);
    expect(await jobs.get('job_1')).toMatchObject({ revision: before?.revision, updatedAt: before?.updatedAt });
    await pass(10 * 60);
    expect((await jobs.get('job_1'))?.stages.search.status).toBe('pending');
    await jobs.apply('job_1', { type: 'stage_finished', run: 1, stage: 'search', status: 'completed', warnings: [] });
    expect((await jobs.get('job_1'))?.status).toBe('completed');
    const asked = (await requested()).length;
    await pass(10);
    expect(await requested()).toHaveLength(asked);
  });

  it('removes the media of a job whose media retention is over, also when it was killed half way, and keeps the job', async () => {
    const media = await openMediaStore(`file:${join(folder, 'media')}`);
    await create('job_1');
    await media.put('acc_1/job_1/source', new Blob(['x']).stream());
    await jobs.apply('job_1', { type: 'started', run: 1 });
    await jobs.apply('job_1', { type: 'source_fetched', run: 1 });
    await jobs.apply('job_1', { type: 'ingest_failed', run: 1, error: FAILURE });
    await pass(1);
    expect(await media.head('acc_1/job_1/source')).toBeDefined();
    time += 24 * 60 * MINUTE;
    await jobs.apply('job_1', { type: 'media_expired' });
    await pass(1);
    expect(await media.head('acc_1/job_1/source')).toBeUndefined();
    expect((await jobs.get('job_1'))?.mediaExpiresAt).toBeUndefined();
    await expect(ingest.requests.retry('acc_1', 'job_1')).rejects.toMatchObject({ code: 'media_removed' });
  });

  it.each(['account', 'job'])('keeps the media beyond its time while the %s is under a legal hold, and removes it afterwards', async (what) => {
    const media = await openMediaStore(`file:${join(folder, 'media')}`);
    const holds = new AccountHolds(documents, clock);
    // It expires with the end of the job, which removes it before the upkeep does.
    await create('job_1', { ...EVERYTHING, mediaRetentionHours: 0 });
    await media.put('acc_1/job_1/source', new Blob(['x']).stream());
    await jobs.apply('job_1', { type: 'started', run: 1 });
    await jobs.apply('job_1', { type: 'source_fetched', run: 1 });
    await jobs.apply('job_1', { type: 'ingest_failed', run: 1, error: FAILURE });
    if (what === 'account') await holds.set('acc_1', { reason: 'case 7' });
    else await ingest.requests.hold('acc_1', 'job_1', { reason: 'case 7' });
    await failed('job_1');
    await pass(2);
    expect(await media.head('acc_1/job_1/source')).toBeDefined();
    await holds.lift('acc_1', false);
    await ingest.requests.liftHold('acc_1', 'job_1', false);
    await pass(1);
    expect(await media.head('acc_1/job_1/source')).toBeUndefined();
  });

  it('gives the stages their time again after the machine was asleep', async () => {
    await createTranscribed('job_1');
    await begin('job_1', 'search');
    time += 10 * 60 * MINUTE;
    const search = async () => (await jobs.get('job_1'))?.stages.search.status;
    await pass(60);
    expect(await search()).toBe('running');
    await pass(1);
    expect(await search()).toBe('failed');
  });

  it('gives the stages no more time for a restart of the service, but for one after the machine was off', async () => {
    const search = async (jobId: string) => (await jobs.get(jobId))?.stages.search.status;
    await pass(1);
    await createTranscribed('job_1');
    await begin('job_1', 'search');
    await pass(30);
    await restart();
    await pass(31);
    expect(await search('job_1')).toBe('failed');
    await createTranscribed('job_2');
    await begin('job_2', 'search');
    await pass(30);
    time += 10 * 60 * MINUTE;
    await restart();
    await pass(60);
    expect(await search('job_2')).toBe('running');
    await pass(1);
    expect(await search('job_2')).toBe('failed');
  });

  it('asks again at once, after an unclean stop, for all that the jobs wait for', async () => {
    await create('job_ingesting', TRANSCRIPT_ONLY);
    await create('job_transcribing', TRANSCRIPT_ONLY);
    await ingest.upkeep.runOnce();
    await jobs.apply('job_transcribing', { type: 'started', run: 1 });
    await jobs.apply('job_transcribing', mediaReady());
    await media('job_transcribing');
    await jobs.apply('job_transcribing', chunkDone(0));
    await createTranscribed('job_transcribed');
    await create('job_ended');
    await ingest.requests.cancel('acc_1', 'job_ended');
    // The events and tasks that the stop has lost.
    await documents.outbox.settle(await documents.outbox.pending(1000));
    for (const jobId of ['job_ingesting', 'job_transcribing']) await tasks.removeGroup('ingest-fetch', `${jobId}/1`);

    await ingest.upkeep.resume();
    const asked = (await documents.outbox.pending(1000)).flatMap(({ events }) => events).map(({ type, data }) => [type, data as unknown as Record<string, unknown>] as const);
    const of = (jobId: string) => asked.filter(([, data]) => data.jobId === jobId).map(([type, { index, stage }]) => [type, index ?? stage].filter((part) => part !== undefined).join(' '));
    expect(await tasks.removeGroup('ingest-fetch', 'job_ingesting/1')).toBe(1);
    expect(await tasks.removeGroup('ingest-fetch', 'job_transcribing/1')).toBe(0);
    expect(of('job_transcribing')).toEqual(['media.ready']);
    expect(of('job_transcribed').filter((request) => request.startsWith('stage'))).toEqual(['diarization', 'summary', 'highlights', 'search'].map((stage) => `stage.requested STAGE_${stage.toUpperCase()}`));
    expect(of('job_ended')).toEqual([]);
    expect((await jobs.get('job_transcribing'))?.sequence).toBe(1);
  });

  it('reaches every late job, however many there are', async () => {
    for (let nth = 0; nth < 120; nth += 1) await createTranscribed(`job_${nth}`, TRANSCRIPT_ONLY);
    for (let nth = 0; nth < 120; nth += 1) await begin(`job_${nth}`, 'search');
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

  it('publishes a deletion again within five minutes, and then hourly, while a service has not reported its part', async () => {
    const { JobStatus } = common;
    const published = async () => (await documents.outbox.pending(1000)).flatMap(({ events }) => events).filter(({ type }) => type === 'job.deleted').map(({ data }) => data);
    await create('job_1');
    await create('job_2');
    for (const jobId of ['job_1', 'job_2']) await ingest.requests.delete('acc_1', jobId);
    for (const where of SERVICE_NAMES) await ingest.erasures.report('era_2', { what: 'things', where, when: NOON, count: 0 });
    const [first] = await published();
    await documents.outbox.settle(await documents.outbox.pending(1000));
    await pass(5);
    expect(await published()).toEqual([{ ...first, occurredAt: new Date(time - MINUTE) }]);
    expect(first).toMatchObject({ jobId: 'job_1', erasureId: 'era_1', run: 1, status: JobStatus.JOB_STATUS_CANCELED });
    await pass(58);
    expect(await published()).toHaveLength(1);
    await pass(1);
    expect(await published()).toHaveLength(2);
    for (const where of SERVICE_NAMES) await ingest.erasures.report('era_1', { what: 'things', where, when: NOON, count: 0 });
    await pass(120);
    expect(await published()).toHaveLength(2);
  });

  it('asks for no erasure of a job that was not deleted after all', async () => {
    await create('job_1');
    await ingest.erasures.open('era_1', { id: 'job_1', accountId: 'acc_1' });
    await pass(10);
    expect((await documents.outbox.pending(1000)).flatMap(({ events }) => events).map(({ type }) => type)).not.toContain('job.deleted');
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
    await begin('job_late', 'search');
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

  it('is a task again within a minute when its task is lost, whether it had started or not', async () => {
    await create('job_1');
    await create('job_2');
    await pass(1);
    await jobs.apply('job_2', { type: 'started', run: 1 });
    for (const jobId of ['job_1', 'job_2']) expect(await tasks.removeGroup('ingest-fetch', `${jobId}/1`)).toBe(1);
    await pass(2);
    for (const jobId of ['job_1', 'job_2']) expect(await tasks.removeGroup('ingest-fetch', `${jobId}/1`)).toBe(1);
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
