import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mediaKeys } from '@parlance/contracts';
import { AppError, createLogger, silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import type { JobRun } from '@parlance/stage';
import { openDocumentDatabase, openMediaStore, type DocumentDatabase } from '@parlance/storage';
import { openTaskQueue, type Task, type TaskQueue } from '@parlance/task-queue';
import { EVERYTHING, FAILURE, MEDIA } from '../../jobs/state/job.fixture.js';
import { JobStore } from '../../jobs/state/job-store.js';
import { FINALS, liveFinished, liveJob, SPEECH } from '../../jobs/state/live.fixture.js';
import { createJob } from '../../jobs/state/new-job.js';
import { Scheduler } from '../../jobs/schedule/scheduler.js';
import { JobMedia } from '../job-media.js';
import type { FreeTime } from './free-time.js';
import { DECODE_QUEUE, FETCH_QUEUE, IngestQueues } from '../../jobs/schedule/ingest-queues.js';
import { IngestAttempts } from './ingest-attempts.js';
import { IngestSteps } from './ingest-steps.js';
import { IngestWorkers } from './ingest-workers.js';
import type { MediaIntake } from './media-intake.js';

let folder: string;
let documents: DocumentDatabase;
let jobs: JobStore;
let queue: TaskQueue;
let logged: { level: string; err?: { stack: string } }[];
type Intake = Pick<MediaIntake, 'fetch' | 'prepare'>;
const intake: Intake = {
  async fetch({ accountId, jobId }) {
    const media = await openMediaStore(`file:${join(folder, 'media')}`);
    await media.put(`${accountId}/${jobId}/source`, new Blob(['x']).stream());
    return { sizeBytes: 1, sha256: '' };
  },
  prepare: () => Promise.reject(new Error('not in this test')),
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parlance-ingest-task-'));
  logged = [];
  documents = await openDocumentDatabase(`sqlite:${join(folder, 'ingest.db')}`, { clock: systemClock, ids: ulidGenerator(), source: 'ingest' });
  jobs = new JobStore(documents, systemClock, () => undefined);
  queue = await openTaskQueue(`sqlite:${join(folder, 'tasks.db')}`, { clock: systemClock, log: silentLogger(), isOwner: true });
  const source = { kind: 'url' as const, url: 'https://media.example/a.mp3', fetched: false };
  await jobs.insertIfAbsent(createJob({ jobId: 'job_1', accountId: 'acc_1', source, options: EVERYTHING }, '2026-01-01T12:00:00.000Z'));
});
afterEach(async () => {
  await queue.close();
  await documents.close();
  await rm(folder, { recursive: true });
});

/** Throws for an engine that is not there any more. */
let requireEngine: (model?: string) => void = () => {};
afterEach(() => void (requireEngine = () => {}));

async function ingestTasks(changes: Partial<Intake>, decodeMs = 60_000, reserve: FreeTime['reserve'] = async () => {}, decoders = 1): Promise<IngestWorkers> {
  const queues = new IngestQueues(queue);
  const config = { JOBS_ACTIVE_PER_ACCOUNT: 4, FETCH_CONCURRENCY: 1, MEDIA_FETCH_SECONDS: 60, DECODE_CONCURRENCY: decoders, SECRETS_KEY: undefined, DECODE_TIMEOUT_MINUTES: decodeMs / 60_000 };
  const scheduler = new Scheduler(documents, jobs, queues, { jobs: async () => config.JOBS_ACTIVE_PER_ACCOUNT }, systemClock);
  const media = await openMediaStore(`file:${join(folder, 'media')}`);
  const log = createLogger({ level: 'info', destination: { write: (line) => void logged.push(JSON.parse(line) as (typeof logged)[number]) } });
  const attempts = new IngestAttempts(jobs, scheduler, new JobMedia(media, jobs), log);
  const steps = new IngestSteps(jobs, queues, media, { ...intake, ...changes }, { reserve }, { requireEngine: async (model) => requireEngine(model) }, { perform: async () => {} }, { open: (bytes) => bytes as AsyncGenerator<Uint8Array> }, config);
  return new IngestWorkers(config, attempts, steps);
}

const FIRST_RUN = { jobId: 'job_1', accountId: 'acc_1', run: 1 };
const taskOf = (run: JobRun): Task<JobRun> => ({ id: `${run.jobId}/${run.run}`, accountId: run.accountId, group: '', payload: run, attempt: 1, enqueuedAt: new Date(0), fencingToken: 1 });

function workerOf(tasks: IngestWorkers, name: string) {
  const worker = tasks.workers().find(({ queue: of }) => of === name);
  if (!worker) throw new Error(`there is no worker of ${name}`);
  return worker;
}

/** Fetches, then decodes, as the workers of both queues do: a task that fails for good is given up at once. */
async function bringIn(tasks: IngestWorkers, run: JobRun = FIRST_RUN, signal = new AbortController().signal): Promise<void> {
  for (const name of [FETCH_QUEUE, DECODE_QUEUE]) {
    const worker = workerOf(tasks, name);
    try {
      await worker.perform(taskOf(run), { signal, draining: signal, maxAttempts: 3 });
    } catch (error) {
      if (!worker.isFinal?.(error)) throw error;
      await worker.giveUp?.(taskOf(run), error);
    }
  }
}

describe('the places to decode', () => {
  it('are all for one account while it is alone', async () => {
    const source = { kind: 'upload' as const, mediaKey: 'k', sizeBytes: 1, sha256: '' };
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const prepare: Intake['prepare'] = ({ jobId, signal }) => {
      begun[jobId === 'job_2' ? 0 : 1]?.resolve();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    };
    const worker = workerOf(await ingestTasks({ prepare }, 60_000, async () => {}, 2), DECODE_QUEUE);
    for (const jobId of ['job_2', 'job_3']) {
      const created = createJob({ jobId, accountId: 'acc_1', source, options: EVERYTHING }, '2026-01-01T12:00:00.000Z');
      await jobs.insertIfAbsent(created);
      await new IngestQueues(queue).addJobs([created.job]);
    }
    const working = await queue.work(worker);
    await Promise.all(begun.map(({ promise }) => promise));
    expect(await queue.backlog(DECODE_QUEUE)).toMatchObject({ running: 2, waiting: 0 });
    await working.close();
  });
});

describe('a worker that lost its lease without noticing', () => {
  it('fails no job: another worker performs the task', async () => {
    const options = { clock: systemClock, log: silentLogger() };
    // The lease of the silent one ends soon; the other keeps its own over each stop of a busy machine.
    const times = { leaseMs: 5000, heartbeatMs: 200, pollMs: 50, lookAgeMs: 0, takeOverDelayMs: 20 };
    const ended = Promise.withResolvers<string>();
    const silent = await openTaskQueue(`sqlite:${join(folder, 'tasks.db')}`, { ...options, times: { ...times, leaseMs: 1000, heartbeatMs: 600_000 }, observer: { ended: (_, outcome) => ended.resolve(outcome) } });
    const live = await openTaskQueue(`sqlite:${join(folder, 'tasks.db')}`, { ...options, times });
    const begun = Promise.withResolvers<void>();
    const takenOver = Promise.withResolvers<void>();
    const download = Promise.withResolvers<never>();
    const worker = workerOf(await ingestTasks({ fetch: () => (begun.resolve(), download.promise) }), FETCH_QUEUE);
    try {
      await silent.work(worker);
      await new IngestQueues(silent).add(FETCH_QUEUE, FIRST_RUN);
      await begun.promise;
      await live.work({ ...worker, perform: (_, { signal }) => new Promise((_, reject) => (takenOver.resolve(), signal.addEventListener('abort', () => reject(signal.reason as Error)))) });
      await takenOver.promise;
      download.reject(new AppError({ code: 'media_unreachable', message: 'The media server answered 404.' }));
      expect(await ended.promise).toBe('lease lost');
      expect((await jobs.get('job_1'))?.status).toBe('processing');
      expect(logged).toEqual([]);
    } finally {
      await Promise.all([silent.close(), live.close()]);
    }
  });
});

const giveUp = (tasks: IngestWorkers, error: unknown) => workerOf(tasks, FETCH_QUEUE).giveUp?.(taskOf(FIRST_RUN), error);

describe('bringing media in', () => {
  it('of a job whose engine is no longer configured fails at once, also where an earlier run has cut its chunks', async () => {
    const prepared = { media: MEDIA, planKey: 'p', audioPrefix: 'a/', chunksTotal: 1, warnings: [] };
    const unknown = () => {
      throw new AppError({ kind: 'not_found', code: 'model_unknown', message: 'There is no speech engine fast.' });
    };
    requireEngine = unknown;
    await bringIn(await ingestTasks({ prepare: async () => (unknown(), prepared) }));
    expect(await jobs.get('job_1')).toMatchObject({ status: 'failed', error: { code: 'model_unknown', retryable: false } });
    expect(logged).toEqual([expect.objectContaining({ level: 'warn', code: 'model_unknown' })]);
    const media = await openMediaStore(`file:${join(folder, 'media')}`);
    const { plan, audio } = mediaKeys('acc_1', 'job_1');
    for (const key of [plan, audio(0)]) await media.put(key, Readable.from([new Uint8Array([1])]));
    await jobs.apply('job_1', { type: 'retry', force: true });
    await jobs.apply('job_1', { type: 'started', run: 2 });
    await jobs.apply('job_1', { type: 'media_ready', run: 2, ...prepared });
    await jobs.apply('job_1', { type: 'chunk_failed', run: 2, index: 0, error: { code: 'engine_failed', message: 'No.', retryable: true } });
    await jobs.apply('job_1', { type: 'retry' });
    await bringIn(await ingestTasks({ prepare: async () => prepared }), { ...FIRST_RUN, run: 3 });
    expect(await jobs.get('job_1')).toMatchObject({ run: 3, status: 'failed', error: { code: 'model_unknown' } });
  });

  it('of an account without free time left ends before anything is transcribed', async () => {
    const prepared = { media: MEDIA, planKey: 'p', audioPrefix: 'a/', chunksTotal: 1, warnings: [] };
    const asked: unknown[] = [];
    const error = new AppError({ kind: 'payment_required', code: 'quota_exhausted', message: 'None left.' });
    await bringIn(await ingestTasks({ prepare: () => Promise.resolve(prepared) }, 60_000, async (media) => {
      asked.push(media);
      throw error;
    }));
    expect(asked).toEqual([{ accountId: 'acc_1', jobId: 'job_1', run: 1, seconds: MEDIA.duration }]);
    expect(await jobs.get('job_1')).toMatchObject({ status: 'failed', error: { code: 'quota_exhausted', retryable: false }, chunks: { total: 0 } });
    expect((await documents.outbox.pending(100)).flatMap(({ events }) => events.map(({ type }) => type))).not.toContain('usage.recorded');
  });

  it('of a live session is kept, and billed, also where the free time was used up while it lasted', async () => {
    const prepared = { media: MEDIA, planKey: 'p', audioPrefix: 'a/', chunksTotal: 1, warnings: [] };
    const live = liveJob();
    await jobs.insertIfAbsent({ job: { ...live, id: 'job_2' }, events: [] });
    await jobs.apply('job_2', liveFinished());
    const asked: unknown[] = [];
    const used = new AppError({ kind: 'payment_required', code: 'quota_exhausted', message: 'None left.' });
    const prepare: Intake['prepare'] = async ({ options, live: audio, isTranscribed, reserveSeconds }) => {
      asked.push({ options, audio, isTranscribed });
      await reserveSeconds(5);
      return prepared;
    };
    await bringIn(await ingestTasks({ prepare }, 60_000, () => Promise.reject(used)), { ...FIRST_RUN, jobId: 'job_2' });
    expect(asked).toEqual([{ options: { vocabulary: [], liveFinalsKey: FINALS }, audio: SPEECH, isTranscribed: true }]);
    expect(await jobs.get('job_2')).toMatchObject({ status: 'processing', stages: { transcription: { status: 'running' } }, decodedMilliseconds: 120_000 });
  });

  it('of a live session that is open is left alone', async () => {
    const live = liveJob();
    await jobs.insertIfAbsent({ job: { ...live, id: 'job_2' }, events: [] });
    await bringIn(await ingestTasks({ prepare: () => Promise.reject(new Error('not yet')) }), { ...FIRST_RUN, jobId: 'job_2' });
    expect(await jobs.get('job_2')).toEqual({ ...live, id: 'job_2' });
  });

  it('is held to the limits of its account’s plan, which a retry may find changed', async () => {
    const source = { kind: 'url' as const, url: 'https://media.example/a.mp3', fetched: false };
    await jobs.insertIfAbsent(createJob({ jobId: 'job_2', accountId: 'acc_1', source, options: EVERYTHING, limits: { media: { bytes: 7, seconds: 5 } } }, '2026-01-01T12:00:00.000Z'));
    const asked: unknown[] = [];
    const tooLong = new AppError({ code: 'media_too_long', message: 'It is longer than 5 seconds.' });
    const held = await ingestTasks({
      fetch: (request) => (asked.push(request.limits), intake.fetch(request)),
      prepare: async ({ limits }) => { asked.push(limits); throw tooLong; },
    });
    const run = (number: number) => bringIn(held, { ...FIRST_RUN, jobId: 'job_2', run: number });
    await run(1);
    await jobs.apply('job_2', { type: 'retry', limits: { seconds: 50 } });
    await run(2);
    expect(asked).toEqual([{ bytes: 7, seconds: 5 }, { bytes: 7, seconds: 5 }, { seconds: 50 }]);
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
    const tasks = await ingestTasks({ prepare });
    const failThenRetry = async (run: number) => {
      await jobs.apply('job_1', { type: 'chunk_failed', run, index: 0, error: FAILURE });
      await jobs.apply('job_1', { type: 'retry' });
      await bringIn(tasks, { ...FIRST_RUN, run: run + 1 });
    };
    await bringIn(tasks);
    await failThenRetry(1);
    expect(prepared).toBe(1);
    await media.remove('acc_1/job_1/audio/000001.pcm');
    await failThenRetry(2);
    expect(prepared).toBe(2);
    expect(await jobs.get('job_1')).toMatchObject({ run: 3, status: 'processing', chunks: { total: 2 } });
  });

  it('that cannot be had is no fault of ours: a line that says why', async () => {
    const error = new AppError({ kind: 'unavailable', code: 'media_unreachable', message: 'The media server answered 404.' });
    await bringIn(await ingestTasks({ fetch: () => Promise.reject(error) }));
    expect(await jobs.get('job_1')).toMatchObject({ status: 'failed', error: { code: 'media_unreachable' } });
    expect(logged).toEqual([expect.objectContaining({ level: 'info', job_id: 'job_1', code: 'media_unreachable' })]);
    expect(logged[0]).not.toHaveProperty('err');
  });

  it('that fails for a reason of ours is logged with its stack when it is given up', async () => {
    const tasks = await ingestTasks({ fetch: () => Promise.reject(new TypeError('defect')) });
    const failure = await bringIn(tasks).catch((error: unknown) => error);
    await giveUp(tasks, failure);
    expect(logged).toEqual([expect.objectContaining({ level: 'warn', code: 'internal', err: expect.objectContaining({ stack: expect.stringContaining('defect') }) })]);
  });

  it('while our own store is away is tried again; to the owner it is nothing of their media', async () => {
    const away = new AppError({ kind: 'unavailable', code: 'media_store_unavailable', message: 'The media store refuses the credentials.' });
    const tasks = await ingestTasks({ fetch: () => Promise.reject(away) });
    await expect(bringIn(tasks)).rejects.toBe(away);
    expect((await jobs.get('job_1'))?.status).toBe('processing');
    await giveUp(tasks, away);
    expect(await jobs.get('job_1')).toMatchObject({ status: 'failed', error: { code: 'internal', message: 'An internal error occurred.', retryable: true } });
    expect(logged).toEqual([expect.objectContaining({ level: 'warn', code: 'media_store_unavailable', err: expect.objectContaining({ type: 'AppError' }) })]);
  });

  it('fails the job when decoding takes longer than is allowed', async () => {
    const prepare: MediaIntake['prepare'] = ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    await bringIn(await ingestTasks({ prepare }, 1));
    expect(await jobs.get('job_1')).toMatchObject({ status: 'failed', error: { code: 'media_timeout', retryable: true } });
  });

  it('is tried again when its time is over while our own store is away', async () => {
    const away = new AppError({ kind: 'unavailable', code: 'media_store_unavailable', message: 'The media store cannot be reached.' });
    const prepare: MediaIntake['prepare'] = ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(away)));
    await expect(bringIn(await ingestTasks({ prepare }, 1))).rejects.toMatchObject({ code: 'media_timeout', cause: away });
    expect((await jobs.get('job_1'))?.status).toBe('processing');
  });

  it('is tried again when another service of ours does not answer in time', async () => {
    const away = new AppError({ kind: 'timeout', code: 'service_unavailable', message: 'The service did not respond.' });
    const prepare: MediaIntake['prepare'] = () => Promise.reject(away);
    await expect(bringIn(await ingestTasks({ prepare }))).rejects.toBe(away);
    expect((await jobs.get('job_1'))?.status).toBe('processing');
  });

  it('hands a fetched recording to the queue of decoding, and back when its source is gone', async () => {
    const tasks = await ingestTasks({});
    await workerOf(tasks, FETCH_QUEUE).perform(taskOf(FIRST_RUN), { signal: new AbortController().signal, draining: new AbortController().signal, maxAttempts: 3 });
    expect(await queue.backlog(DECODE_QUEUE)).toMatchObject({ waiting: 1 });
    expect(await jobs.get('job_1')).toMatchObject({ status: 'processing', source: { fetched: true } });
    await (await openMediaStore(`file:${join(folder, 'media')}`)).remove('acc_1/job_1/source');
    await workerOf(tasks, DECODE_QUEUE).perform(taskOf(FIRST_RUN), { signal: new AbortController().signal, draining: new AbortController().signal, maxAttempts: 3 });
    expect(await queue.backlog(FETCH_QUEUE)).toMatchObject({ waiting: 1 });
  });

  it('of a job that was deleted meanwhile leaves nothing, also when its task was removed', async () => {
    const media = await openMediaStore(`file:${join(folder, 'media')}`);
    const removed = new AbortController();
    const fetch: MediaIntake['fetch'] = async () => {
      await media.put('acc_1/job_1/source', new Blob(['x']).stream());
      await jobs.delete('job_1');
      removed.abort(new AppError({ kind: 'canceled', code: 'task_removed', message: 'The task was removed.' }));
      throw removed.signal.reason;
    };
    await expect(bringIn(await ingestTasks({ fetch }), FIRST_RUN, removed.signal)).rejects.toMatchObject({ code: 'task_removed' });
    expect(await media.head('acc_1/job_1/source')).toBeUndefined();
  });
});

describe('decoding the audio of a completed job again for its speakers', () => {
  const SECOND_RUN = { ...FIRST_RUN, run: 2 };
  const keys = mediaKeys('acc_1', 'job_1');
  const store = () => openMediaStore(`file:${join(folder, 'media')}`);
  const put = async (...names: string[]) => {
    const media = await store();
    for (const name of names) await media.put(name, new Blob(['x']).stream());
  };
  let decoded: boolean[];
  const prepared = { media: MEDIA, planKey: keys.plan, audioPrefix: keys.audioPrefix, chunksTotal: 1, warnings: [] };
  const prepare: Intake['prepare'] = async ({ isTranscribed = false }) => {
    decoded.push(isTranscribed);
    await put(keys.audio(0), keys.plan);
    return prepared;
  };
  const perform = async (change: Partial<Intake> = { prepare }, run: JobRun = SECOND_RUN, signal = new AbortController().signal) =>
    workerOf(await ingestTasks(change), DECODE_QUEUE).perform(taskOf(run), { signal, draining: signal, maxAttempts: 3 });
  const requests = async () => (await documents.outbox.pending(1000)).flatMap(({ events }) => events).filter(({ type, data }) => type === 'stage.requested' && (data as { run: number }).run > 1).map(({ data }) => data);
  const hasAudio = async () => (await (await store()).head(keys.audio(0))) !== undefined;

  beforeEach(async () => {
    decoded = [];
    await put(keys.source, keys.plan);
    await jobs.apply('job_1', { type: 'started', run: 1 });
    await jobs.apply('job_1', { type: 'media_ready', run: 1, ...prepared });
    await jobs.apply('job_1', { type: 'transcript_completed', run: 1, language: 'en', engine: 'fixture', warnings: [] });
    for (const stage of ['diarization', 'summary', 'highlights', 'search'] as const) await jobs.apply('job_1', { type: 'stage_finished', run: 1, stage, status: stage === 'diarization' ? 'failed' : 'completed', warnings: [] });
    await jobs.apply('job_1', { type: 'retry' });
  });

  it('decodes what was transcribed already, and requests the stage', async () => {
    await perform();
    expect(decoded).toEqual([true]);
    expect(await requests()).toMatchObject([{ run: 2, stage: 'STAGE_DIARIZATION' }]);
    expect(await hasAudio()).toBe(true);
  });

  it('decodes nothing while the audio of each chunk is there, and anew once it is lost', async () => {
    await put(keys.audio(0));
    await perform();
    expect(decoded).toEqual([]);
    await jobs.apply('job_1', { type: 'stage_finished', run: 2, stage: 'diarization', status: 'failed', warnings: [] });
    await jobs.apply('job_1', { type: 'retry' });
    await (await store()).remove(keys.audio(0));
    await perform({ prepare }, { ...FIRST_RUN, run: 3 });
    expect(decoded).toEqual([true]);
    expect(await requests()).toMatchObject([{ run: 2 }, { run: 3 }]);
  });

  it('leaves nothing of a job that is deleted meanwhile', async () => {
    const erasing: Intake['prepare'] = async (request) => {
      await jobs.delete('job_1');
      return prepare(request);
    };
    await perform({ prepare: erasing });
    expect(decoded).toEqual([true]);
    for (const key of [keys.source, keys.plan, keys.audio(0)]) expect(await (await store()).head(key)).toBeUndefined();
    expect(await requests()).toEqual([]);
  });

  it('that is stopped before it reports keeps the audio, and the next attempt only reports it', async () => {
    const stop = new AbortController();
    const stopped: Intake['prepare'] = async (request) => {
      const made = await prepare(request);
      stop.abort(new Error('stopped'));
      return made;
    };
    await expect(perform({ prepare: stopped }, SECOND_RUN, stop.signal)).rejects.toThrow('stopped');
    expect(await requests()).toEqual([]);
    await perform();
    expect(decoded).toEqual([true]);
    expect(await requests()).toMatchObject([{ run: 2, stage: 'STAGE_DIARIZATION' }]);
  });

  it('does nothing for a run that has ended', async () => {
    await perform({ prepare }, FIRST_RUN);
    expect(decoded).toEqual([]);
    expect(await jobs.get('job_1')).toMatchObject({ run: 2, awaitsAudio: true });
    expect(await requests()).toEqual([]);
  });
});
