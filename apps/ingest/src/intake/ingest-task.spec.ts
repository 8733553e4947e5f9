import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, createLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, openMediaStore, type DocumentDatabase } from '@parlance/storage';
import { EVERYTHING, FAILURE, MEDIA } from '../jobs/job.fixture.js';
import { JobStore } from '../jobs/job-store.js';
import { createJob } from '../jobs/new-job.js';
import { Scheduler } from '../schedule/scheduler.js';
import { FairPlaces } from '@parlance/event-bus';
import type { FreeTime } from './free-time.js';
import { IngestTask } from './ingest-task.js';
import type { MediaIntake } from './media-intake.js';
import { RunningWork } from './running-work.js';

let folder: string;
let documents: DocumentDatabase;
let jobs: JobStore;
let logged: { level: string; err?: { stack: string } }[];
const intake: MediaIntake = { fetch: () => Promise.resolve({ sizeBytes: 1, sha256: '' }), prepare: () => Promise.reject(new Error('not in this test')) };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parlance-ingest-task-'));
  logged = [];
  documents = await openDocumentDatabase(`sqlite:${join(folder, 'ingest.db')}`, { clock: systemClock, ids: ulidGenerator(), source: 'ingest' });
  jobs = new JobStore(documents, systemClock, () => undefined);
  const source = { kind: 'url' as const, url: 'https://media.example/a.mp3', fetched: false };
  await jobs.insert(createJob({ jobId: 'job_1', accountId: 'acc_1', source, options: EVERYTHING }, '2026-01-01T12:00:00.000Z'));
});
afterEach(async () => {
  await documents.close();
  await rm(folder, { recursive: true });
});

async function task(changes: Partial<MediaIntake>, prepareMs = 60_000, freeTime: FreeTime = async () => {}): Promise<IngestTask> {
  return new IngestTask({
    jobs,
    scheduler: new Scheduler(documents, jobs, { maxActive: 4, window: 4 }, systemClock),
    media: await openMediaStore(`file:${join(folder, 'media')}`),
    intake: { ...intake, ...changes },
    freeTime,
    running: new RunningWork(),
    places: { fetch: new FairPlaces(1), prepare: new FairPlaces(1) },
    prepareMs,
    log: createLogger({ level: 'info', destination: { write: (line) => void logged.push(JSON.parse(line) as (typeof logged)[number]) } }),
  });
}

const data = { jobId: 'job_1', accountId: 'acc_1', run: 1 };
const event = { id: 'evt_1', type: 'ingest.requested' as const, source: 'ingest', time: '', key: 'job_1', data };
const handle = (ingestTask: IngestTask) => ingestTask.handle({ event, attempt: 1, maxAttempts: 3, signal: new AbortController().signal, draining: new AbortController().signal });

describe('bringing media in', () => {
  it('of an account without free time left ends before anything is transcribed', async () => {
    const prepared = { media: MEDIA, planKey: 'p', audioPrefix: 'a/', chunksTotal: 1, warnings: [] };
    const asked: unknown[] = [];
    const error = new AppError({ kind: 'payment_required', code: 'quota_exhausted', message: 'None left.' });
    await handle(await task({ prepare: () => Promise.resolve(prepared) }, 60_000, async (media) => {
      asked.push(media);
      throw error;
    }));
    expect(asked).toEqual([{ accountId: 'acc_1', jobId: 'job_1', run: 1, seconds: MEDIA.duration }]);
    expect(await jobs.get('job_1')).toMatchObject({ status: 'failed', error: { code: 'quota_exhausted', retryable: false }, chunks: { total: 0 } });
    expect((await documents.outbox.pending(100)).flatMap(({ events }) => events.map(({ type }) => type))).not.toContain('usage.recorded');
  });

  it('is held to the limits of its account’s plan, which a retry may find changed', async () => {
    const source = { kind: 'url' as const, url: 'https://media.example/a.mp3', fetched: false };
    await jobs.insert(createJob({ jobId: 'job_2', accountId: 'acc_1', source, options: EVERYTHING, limits: { media: { bytes: 7, seconds: 5 } } }, '2026-01-01T12:00:00.000Z'));
    const asked: unknown[] = [];
    const tooLong = new AppError({ kind: 'invalid', code: 'media_too_long', message: 'It is longer than 5 seconds.' });
    const held = await task({
      fetch: async ({ limits }) => (asked.push(limits), { sizeBytes: 1, sha256: '' }),
      prepare: async ({ limits }) => { asked.push(limits); throw tooLong; },
    });
    const run = (number: number) => held.handle({ event: { ...event, data: { ...data, jobId: 'job_2', run: number } }, attempt: 1, maxAttempts: 3, signal: new AbortController().signal, draining: new AbortController().signal });
    await run(1);
    await jobs.apply('job_2', { type: 'retry', limits: { seconds: 50 } });
    await run(2);
    expect(asked).toEqual([{ bytes: 7, seconds: 5 }, { bytes: 7, seconds: 5 }, { seconds: 50 }, { seconds: 50 }]);
  });

  it('is done once for all runs, and anew when audio of a chunk was lost', async () => {
    const media = await openMediaStore(`file:${join(folder, 'media')}`);
    const store = async (...names: string[]) => {
      for (const name of names) await media.put(`acc_1/job_1/${name}`, new Blob(['x']).stream());
    };
    let prepared = 0;
    const prepare = async () => {
      prepared += 1;
      await store('source', 'plan.json', 'audio/000000.pcm', 'audio/000001.pcm');
      return { media: MEDIA, planKey: 'acc_1/job_1/plan.json', audioPrefix: 'acc_1/job_1/audio/', chunksTotal: 2, warnings: [] };
    };
    const ingestTask = await task({ prepare });
    const failThenRetry = async (run: number) => {
      await jobs.apply('job_1', { type: 'chunk_failed', run, index: 0, error: FAILURE });
      await jobs.apply('job_1', { type: 'retry' });
      await ingestTask.handle({ event: { ...event, data: { ...data, run: run + 1 } }, attempt: 1, maxAttempts: 3, signal: new AbortController().signal, draining: new AbortController().signal });
    };
    await handle(ingestTask);
    await failThenRetry(1);
    expect(prepared).toBe(1);
    await media.remove('acc_1/job_1/audio/000001.pcm');
    await failThenRetry(2);
    expect(prepared).toBe(2);
    expect(await jobs.get('job_1')).toMatchObject({ run: 3, status: 'processing', chunks: { total: 2 } });
  });

  it('that cannot be had is no fault of ours: a line that says why', async () => {
    const error = new AppError({ kind: 'unavailable', code: 'media_unreachable', message: 'The media server answered 404.' });
    await handle(await task({ fetch: () => Promise.reject(error) }));
    expect(await jobs.get('job_1')).toMatchObject({ status: 'failed', error: { code: 'media_unreachable' } });
    expect(logged).toEqual([expect.objectContaining({ level: 'info', job_id: 'job_1', code: 'media_unreachable' })]);
    expect(logged[0]).not.toHaveProperty('err');
  });

  it('that fails for a reason of ours is logged with its stack when it is given up', async () => {
    const ingestTask = await task({ fetch: () => Promise.reject(new TypeError('defect')) });
    const failure = await handle(ingestTask).catch((error: unknown) => error);
    await ingestTask.giveUp(event, failure);
    expect(logged).toEqual([expect.objectContaining({ level: 'warn', code: 'internal', err: expect.objectContaining({ stack: expect.stringContaining('defect') }) })]);
  });

  it('while our own store is away is tried again; to the owner it is nothing of their media', async () => {
    const away = new AppError({ kind: 'unavailable', code: 'media_store_unavailable', message: 'The media store refuses the credentials.' });
    const ingestTask = await task({ fetch: () => Promise.reject(away) });
    await expect(handle(ingestTask)).rejects.toBe(away);
    expect((await jobs.get('job_1'))?.status).toBe('processing');
    await ingestTask.giveUp(event, away);
    expect(await jobs.get('job_1')).toMatchObject({ status: 'failed', error: { code: 'internal', message: 'An internal error occurred.', retryable: true } });
    expect(logged).toEqual([expect.objectContaining({ level: 'warn', code: 'media_store_unavailable', err: expect.objectContaining({ type: 'AppError' }) })]);
  });

  it('fails the job when decoding takes longer than is allowed', async () => {
    const prepare: MediaIntake['prepare'] = ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    await handle(await task({ prepare }, 1));
    expect(await jobs.get('job_1')).toMatchObject({ status: 'failed', error: { code: 'media_timeout', retryable: true } });
  });
});
