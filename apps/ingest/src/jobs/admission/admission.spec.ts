import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { common } from '@parlance/contracts';
import { silentLogger, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { ErasureStore } from '../erasure/erasure-store.js';
import { JobRequests } from '../job-requests.js';
import { JobStore } from '../state/job-store.js';
import { NOON, queuedJob } from '../state/job.fixture.js';
import type { Job } from '../state/job.js';
import { AccountHolds } from '../../accounts/account-holds.js';
import { Admission } from './admission.js';
import { inFlightCollection } from './in-flight.js';

const LIMIT = 5;

describe('the number of jobs in flight', () => {
  let folder: string;
  const databases: DocumentDatabase[] = [];
  let now = Date.parse('2026-01-01T12:00:00Z');
  const clock = { now: () => new Date((now += 1)) };
  let replicas: { requests: JobRequests; jobs: JobStore; admission: Admission }[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-admission-'));
    for (let index = 0; index < 2; index += 1) databases.push(await openDocumentDatabase(`sqlite:${join(folder, 'ingest.db')}`, { clock, ids: ulidGenerator(), source: 'ingest', log: silentLogger() }));
    replicas = databases.map((documents) => {
      const jobs = new JobStore(documents, clock, () => undefined);
      const admission = new Admission(documents, jobs, { JOBS_IN_FLIGHT_PER_ACCOUNT: LIMIT }, clock);
      return { jobs, admission, requests: new JobRequests(jobs, new ErasureStore(documents, clock), admission, clock, new AccountHolds(documents, clock), { note: async () => {} }) };
    });
  });
  afterAll(async () => {
    await Promise.all(databases.map((database) => database.close()));
    await rm(folder, { recursive: true });
  });

  const replica = (index = 0) => replicas[index % replicas.length] as (typeof replicas)[number];
  const options = common.JobOptions.fromPartial({});
  const create = (accountId: string, jobId: string, at = 0) =>
    replica(at).requests.create({ jobId, accountId, source: { kind: 'url', url: 'https://example.org/a.mp3', fetched: false }, options });
  const fill = (accountId: string) => Promise.all(Array.from({ length: LIMIT }, (_, index) => create(accountId, `job_${accountId}_${index}`)));
  const full = { code: 'too_many_jobs', kind: 'rate_limited', retryAfter: 10 };

  it('is exact, however many ask of however many processes at once, and is the account’s alone', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 50 }, (_, index) => create('acc_many', `job_${index}`, index)));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(LIMIT);
    expect(asked.find(({ status }) => status === 'rejected')).toMatchObject({ reason: full });
    expect(await replica().jobs.count('queued')).toBe(LIMIT);
    await create('acc_other', 'job_other');
  });

  it('leaves the repeated call for a job that is there alone, also once it has ended', async () => {
    await fill('acc_repeat');
    const again = await create('acc_repeat', 'job_acc_repeat_0', 1);
    expect(again.id).toBe('job_acc_repeat_0');
    await replica().requests.cancel('acc_repeat', 'job_acc_repeat_0');
    await create('acc_repeat', 'job_after');
    expect(await create('acc_repeat', 'job_acc_repeat_0')).toMatchObject({ status: 'canceled' });
    await expect(create('acc_repeat', 'job_more')).rejects.toMatchObject(full);
  });

  it('counts a retried job again, and the late news of its first end frees nothing', async () => {
    await fill('acc_retry');
    const { jobs, requests, admission } = replica();
    const failed = await jobs.apply('job_acc_retry_0', { type: 'ingest_failed', run: 1, error: { code: 'media_timeout', message: '', retryable: true } });
    await create('acc_retry', 'job_in_between');
    await expect(requests.retry('acc_retry', 'job_acc_retry_0')).rejects.toMatchObject(full);
    await requests.cancel('acc_retry', 'job_in_between');
    expect(await requests.retry('acc_retry', 'job_acc_retry_0')).toMatchObject({ status: 'queued' });
    await admission.settle('acc_retry', 'job_acc_retry_0', failed);
    await expect(create('acc_retry', 'job_one_more')).rejects.toMatchObject(full);
    await expect(requests.retry('acc_retry', 'job_acc_retry_0')).rejects.toMatchObject({ code: 'invalid_state' });
  });

  it('is asked for before a long upload, which takes no place and sees what has ended', async () => {
    const { requests } = replica();
    await requests.requireRoom('acc_room');
    await fill('acc_room');
    await expect(requests.requireRoom('acc_room')).rejects.toMatchObject(full);
    await requests.requireRoom('acc_room', { jobsInFlight: LIMIT + 1, media: {} });
    await requests.requireRoom('acc_room', { jobsInFlight: 0, media: {} });
    await requests.cancel('acc_room', 'job_acc_room_0');
    now += 1;
    for (let times = 0; times < 3; times += 1) await requests.requireRoom('acc_room');
    await create('acc_room', 'job_in_the_room');
  });

  it('is that of the account’s plan where it has one', async () => {
    const source = { kind: 'url', url: 'https://example.org/a.mp3', fetched: false } as const;
    const two = (jobId: string) => replica().requests.create({ jobId, accountId: 'acc_plan', source, options, limits: { jobsInFlight: 2, media: {} } });
    await two('job_plan_1');
    await two('job_plan_2');
    await expect(two('job_plan_3')).rejects.toMatchObject({ code: 'too_many_jobs' });
  });

  it('forgets the place of a job that a killed process never made', async () => {
    await fill('acc_killed').then(() => replica().requests.cancel('acc_killed', 'job_acc_killed_0'));
    await replica().admission.take('acc_killed', 'job_never_made');
    await expect(create('acc_killed', 'job_next')).rejects.toMatchObject(full);
    now += 60_000;
    await create('acc_killed', 'job_next');
  });

  it('forgets the place that was taken again for a job that had ended', async () => {
    await fill('acc_ended');
    const { requests } = replica();
    await requests.cancel('acc_ended', 'job_acc_ended_0');
    await create('acc_ended', 'job_between');
    await requests.cancel('acc_ended', 'job_between');
    await expect(create('acc_ended', 'job_acc_ended_0')).resolves.toMatchObject({ status: 'canceled' });
    await expect(create('acc_ended', 'job_last')).rejects.toMatchObject(full);
    now += 60_000;
    await create('acc_ended', 'job_last');
    await expect(create('acc_ended', 'job_more')).rejects.toMatchObject(full);
  });
});

describe('a refusal', () => {
  const clock = { now: () => new Date(NOON) };
  let folder: string;
  let documents: DocumentDatabase;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-refusals-'));
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'ingest.db')}`, { clock, ids: ulidGenerator(), source: 'ingest', log: silentLogger() });
  });
  afterEach(async () => {
    await documents.close();
    await rm(folder, { recursive: true });
  });

  /** @param beforeRead is called before the places of an account are read */
  const readingAfter = (beforeRead: () => Promise<void>): DocumentDatabase => {
    const places = documents.collection(inFlightCollection);
    const reading = Object.assign(Object.create(places) as typeof places, { get: async (id: string) => (await beforeRead(), places.get(id)) });
    return Object.assign(Object.create(documents) as DocumentDatabase, { collection: () => reading });
  };

  it('is none when the event of an end gives a place free between the refusal and the look at the jobs', async () => {
    const jobs = { async *all() {}, get: async (id: string): Promise<Job> => ({ ...queuedJob(), id }) };
    const handleEnd = (): Promise<void> => admission.settle('acc_1', 'job_ended', undefined);
    const admission: Admission = new Admission(readingAfter(handleEnd), jobs, { JOBS_IN_FLIGHT_PER_ACCOUNT: 2 }, clock);
    for (const jobId of ['job_ended', 'job_1', 'job_2']) await admission.take('acc_1', jobId);
    await expect(admission.take('acc_1', 'job_3')).rejects.toMatchObject({ code: 'too_many_jobs' });
  });

  it('reads at most 32 of the jobs that hold places, and finds one that has ended within a few refusals', async () => {
    let reads = 0;
    let ended: string | undefined;
    const jobs = {
      async *all() {},
      get: async (id: string): Promise<Job> => {
        reads += 1;
        return { ...queuedJob(), id, ...(id === ended && { status: 'completed' as const, completedAt: NOON }) };
      },
    };
    const admission = new Admission(documents, jobs, { JOBS_IN_FLIGHT_PER_ACCOUNT: 100 }, clock);
    await Promise.all(Array.from({ length: 100 }, (_, nth) => admission.take('acc_1', `job_${nth}`)));
    const refused = () => admission.take('acc_1', 'job_more').then(() => false, () => true);
    expect(await refused()).toBe(true);
    expect(reads).toBeLessThanOrEqual(32);
    ended = 'job_20';
    const answers = [await refused(), await refused(), await refused(), await refused()];
    expect(answers).toContain(false);
    expect(reads).toBeLessThanOrEqual(5 * 32);
  });
});
