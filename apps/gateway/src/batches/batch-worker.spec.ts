import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { common, events } from '@parlance/contracts';
import { AppError, silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import type { Task } from '@parlance/task-queue';
import type { CreationRequest } from '../transcriptions/creation.js';
import { JobHeaders } from '../transcriptions/job-headers.js';
import { newTranscriptionSchema, uploadOptionsSchema, type UploadOptions } from '../transcriptions/job-options-schema.js';
import { BatchIntake } from './batch-intake.js';
import { BatchJobs } from './batch-jobs.js';
import { BatchProgress } from './batch-progress.js';
import { BatchRecords } from './batch-records.js';
import { batchCollection, type Batch } from './batch.js';
import { BatchWorker } from './batch-worker.js';

const { JobStatus } = common;
const URL = 'https://example.org/a.mp3';
const ids = ulidGenerator();
const accepted = { jobId: '', createdAt: new Date() } as never;
const tooManyJobs = () => new AppError({ kind: 'rate_limited', code: 'too_many_jobs', message: 'Full.' });
const storageExhausted = () => new AppError({ kind: 'payment_required', code: 'storage_quota_exhausted', message: 'Full.', retryable: false });

describe('the work on a batch', () => {
  const opened = new AsyncDisposableStack();
  let documents: DocumentDatabase;
  let records: BatchRecords;
  let intake: BatchIntake;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-batches-'));
    opened.defer(() => rm(folder, { recursive: true }));
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'gateway.db')}`, { clock: systemClock, ids, log: silentLogger(), source: 'gateway' });
    opened.defer(() => documents.close());
    records = new BatchRecords(documents, systemClock);
    intake = new BatchIntake({ violations: async () => [] }, new JobHeaders({ seal: () => 'sealed' }), ids);
  });
  afterAll(() => opened.disposeAsync());

  let woken: string[];
  let jobs: { jobId: string; options: UploadOptions; audioUrl: string | undefined }[];
  let makeJob: (audioUrl: string | undefined) => Promise<void>;
  let isHeld: boolean;
  let worker: BatchWorker;
  beforeEach(() => {
    [woken, jobs, isHeld, makeJob] = [[], [], false, async () => {}];
    const make = async (jobId: string, options: UploadOptions, audioUrl: string | undefined) => {
      await makeJob(audioUrl);
      jobs.push({ jobId, options, audioUrl });
      return accepted;
    };
    const created = new BatchJobs(
      {
        made: async (_accountId, jobId) => (jobs.some((job) => job.jobId === jobId) ? accepted : undefined),
        withoutFile: (_request: CreationRequest, jobId, { source, options }) => make(jobId, options as UploadOptions, source.$case === 'audioUrl' ? source.value : undefined),
      },
      { create: (_request, { jobId }, _uploadIds, { options }) => make(jobId, options, undefined) },
      { admitUrl: async () => {}, admitUpload: async () => {} },
      { cancelJob: () => Promise.reject(new AppError({ kind: 'not_found', code: 'not_found', message: 'No.' })) },
    );
    worker = new BatchWorker(
      records,
      created,
      { refusalOf: async () => undefined },
      { isHeld: () => isHeld },
      { wake: async (_queue, tasks) => void woken.push(...tasks.map(({ id }) => id)) },
      systemClock,
    );
  });

  const stored = async (items: object[], given: Record<string, unknown> = {}, accountId = 'acc_1') => {
    const id = ids.next('bat');
    const shared = uploadOptionsSchema.parse(given);
    const checked = await intake.itemsOf({ id, accountId, defaults: given, shared, items, mayRead: true });
    return records.store({ id, accountId, keyId: 'key_1', credentialId: 'key_1', total: items.length, defaults: shared }, checked);
  };
  const itemsOf = async (batchId: string) => (await records.itemsOf(batchId, { limit: 100 })).items.map(({ document }) => document);
  const states = async (batchId: string) => (await itemsOf(batchId)).map(({ state }) => state);
  const turn = (id: string) => {
    const { signal } = new AbortController();
    return worker.worker().perform({ id, accountId: 'acc_1', attempt: 1 } as Task, { signal, draining: signal, maxAttempts: 8 });
  };
  const jobEvent = (batchId: string, jobId: string, status: common.JobStatus, version = 2) => events.JobEvent.fromPartial({ jobId, accountId: 'acc_1', batchId, status, version });

  it('ends it by the event that comes again when the process died before its end was stored', async () => {
    const batch = await stored([{ audio_url: URL }]);
    await turn(batch.id);
    const dying = Object.assign(new BatchRecords(documents, systemClock), { settle: () => Promise.reject(new Error('killed')) });
    const completed = jobEvent(batch.id, jobs[0]?.jobId ?? '', JobStatus.JOB_STATUS_COMPLETED);
    await expect(new BatchProgress(dying, worker).jobChanged(completed)).rejects.toThrow('killed');
    expect((await records.find(batch.id))?.state).toBe('processing');
    await new BatchProgress(records, worker).jobChanged(completed);
    expect((await records.find(batch.id))?.state).toBe('completed');
  });

  it('cancels a job that was made after its item was canceled, also when the process died before it was woken', async () => {
    const batch = await stored([{ audio_url: URL }, { audio_url: URL }]);
    await records.cancel('acc_1', batch.id);
    const [item] = await itemsOf(batch.id);
    await records.change(item?.id ?? '', (current) => ({ ...current, state: 'canceled', open: false }));
    const created = jobEvent(batch.id, item?.jobId ?? '', JobStatus.JOB_STATUS_QUEUED, 1);
    await expect(new BatchProgress(records, { wake: () => Promise.reject(new Error('killed')) }).jobChanged(created)).rejects.toThrow('killed');
    await new BatchProgress(records, worker).jobChanged(created);
    expect(woken).toEqual([batch.id]);
  });

  it('is not stored when the items of its account that have no job would take up more than they may, until they have jobs', async () => {
    const accountId = 'acc_full';
    const before = await stored([{ audio_url: URL }, {}], {}, accountId);
    const [pending, refused] = await itemsOf(before.id);
    expect(await records.limitOf(accountId)).toMatchObject({ used: before.bytes + (pending?.bytes ?? 0) + (refused?.bytes ?? 0) });
    const { limit } = await records.limitOf(accountId);
    await records.change(pending?.id ?? '', (item) => ({ ...item, bytes: limit }));
    const full = { code: 'invalid_state', reason: 'limit_reached' };
    await Promise.all(Array.from({ length: 3 }, () => expect(stored([{ audio_url: URL }], {}, accountId)).rejects.toMatchObject(full)));
    expect((await documents.collection(batchCollection).find({ where: { accountId } })).items).toHaveLength(1);
    await turn(before.id);
    expect(await records.limitOf(accountId)).toMatchObject({ used: refused?.bytes });
    expect((await stored([{ audio_url: URL }], {}, accountId)).state).toBe('processing');
  });

  it('has room where batches that have ended can make some, the oldest first', async () => {
    const accountId = 'acc_refused';
    const [oldest, newer] = [await stored([{}], {}, accountId), await stored([{}], {}, accountId)];
    for (const { id } of [oldest, newer]) await turn(id);
    const [item] = await itemsOf(oldest.id);
    const { limit } = await records.limitOf(accountId);
    await records.change(item?.id ?? '', (current) => ({ ...current, bytes: limit }));
    expect((await stored([{ audio_url: URL }], {}, accountId)).state).toBe('processing');
    expect([await records.find(oldest.id), (await itemsOf(oldest.id)).length, (await records.find(newer.id))?.state]).toEqual([undefined, 0, 'completed']);
  });

  it('is removed with its items a month after its end, once none of its jobs is left', async () => {
    const [withJob, refused] = [await stored([{ audio_url: URL }]), await stored([{}])];
    for (const { id } of [withJob, refused]) await turn(id);
    const [item] = await itemsOf(withJob.id);
    const jobId = item?.jobId ?? '';
    const progress = new BatchProgress(records, worker);
    await progress.jobChanged(jobEvent(withJob.id, jobId, JobStatus.JOB_STATUS_COMPLETED));
    const sweepAfter = (days: number) => new BatchRecords(documents, { now: () => new Date(Date.now() + days * 24 * 60 * 60 * 1000) }).sweep();
    const left = async () => Promise.all([withJob, refused].map(async ({ id }) => [(await records.find(id)) !== undefined, (await itemsOf(id)).length]));
    await sweepAfter(29);
    expect(await left()).toEqual([[true, 1], [true, 1]]);
    await sweepAfter(31);
    expect(await left()).toEqual([[true, 1], [false, 0]]);
    await records.eraseJob(jobId);
    await sweepAfter(33);
    expect(await left()).toEqual([[false, 0], [false, 0]]);
  });

  it('is removed also when it ended under a version that kept batches for ever', async () => {
    const batch = await stored([{}]);
    await turn(batch.id);
    await documents.collection(batchCollection).update(batch.id, (ended) => {
      const { sweepAfter: _none, ...before } = ended as Batch;
      return { document: before };
    });
    const inDays = (days: number) => new BatchRecords(documents, { now: () => new Date(Date.now() + days * 24 * 60 * 60 * 1000) });
    await inDays(1).sweep();
    expect(await records.find(batch.id)).toMatchObject({ state: 'completed', sweepAfter: expect.any(String) });
    await inDays(31).sweep();
    expect(await records.find(batch.id)).toBeUndefined();
  });

  it('is found by the sweep when the process died between storing and waking, canceling or ending it', async () => {
    const [begun, canceled, ended] = [await stored([{ audio_url: URL }]), await stored([{ audio_url: URL }]), await stored([{}])];
    await records.cancel('acc_1', canceled.id);
    await worker.sweep();
    expect(woken).toEqual(expect.arrayContaining([begun.id, canceled.id]));
    expect(woken).not.toContain(ended.id);
    expect((await records.find(ended.id))?.state).toBe('completed');
  });

  it('refuses an item that fails in all its tries alone', async () => {
    const batch = await stored([{ audio_url: 'https://example.org/bad.mp3' }, ...Array.from({ length: 40 }, () => ({ audio_url: URL }))]);
    makeJob = async (audioUrl) => {
      if (audioUrl !== URL) throw new AppError({ kind: 'internal', code: 'internal', message: 'Broken.', retryable: true });
    };
    for (let turns = 0; turns < 10; turns += 1) await turn(batch.id);
    expect(await states(batch.id)).toEqual(['refused', ...Array.from({ length: 40 }, () => 'queued')]);
    expect((await itemsOf(batch.id))[0]?.error).toMatchObject({ code: 'internal' });
  });

  it('forgets failures before when it has progressed', async () => {
    const batch = await stored([{ audio_url: URL }, { audio_url: URL }]);
    let room = 1;
    makeJob = async () => {
      if (room-- < 1) throw tooManyJobs();
    };
    expect(await turn(batch.id)).toMatchObject({ hasProgressed: true });
    expect(await turn(batch.id)).toMatchObject({ hasProgressed: false });
  });

  it('copies the files of one item at a time, and no more once the account is full', async () => {
    const batch = await stored(Array.from({ length: 5 }, () => ({ upload_id: 'upl_1' })));
    let tries = 0;
    makeJob = async () => {
      tries += 1;
      if (tries > 2) throw tooManyJobs();
    };
    expect(await turn(batch.id)).toMatchObject({ again: expect.any(Date) });
    expect([tries, await states(batch.id)]).toEqual([3, ['queued', 'queued', 'pending', 'pending', 'pending']]);
  });

  it('waits for storage that an upload on its way holds, and refuses for storage that is used', async () => {
    const batch = await stored([{ upload_id: 'upl_1' }, { upload_id: 'upl_1' }]);
    makeJob = () => Promise.reject(storageExhausted());
    isHeld = true;
    await turn(batch.id);
    expect(await states(batch.id)).toEqual(['pending', 'pending']);
    isHeld = false;
    await turn(batch.id);
    expect(await states(batch.id)).toEqual(['refused', 'refused']);
  });

  it('stores the defaults once, and gives each job what its item states over them', async () => {
    const metadata = { note: 'x'.repeat(400) };
    const items = [{ audio_url: URL }, { audio_url: URL, language: 'de' }, { audio_url: URL, language: null }, { audio_url: URL, metadata: { a: '1' }, diarization: true }];
    const defaults = { language: 'en', summary: false, metadata };
    const batch = await stored(items, defaults);
    expect(JSON.stringify(await itemsOf(batch.id))).not.toContain(metadata.note);
    await turn(batch.id);
    const whole = (item: object) => {
      const { audio_url: _url, ...options } = newTranscriptionSchema.parse(item);
      return options;
    };
    const { language: _language, ...others } = defaults;
    expect(jobs.map(({ options }) => options)).toEqual([{ ...defaults, ...items[0] }, { ...defaults, ...items[1] }, { ...others, audio_url: URL }, { ...defaults, ...items[3] }].map(whole));
    expect(await records.find(batch.id)).not.toHaveProperty('defaults');
  });
});
