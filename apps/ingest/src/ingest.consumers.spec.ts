import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { common, events, type EventType } from '@parlance/contracts';
import type { EventEnvelope } from '@parlance/event-bus';
import { createMetrics, isOutage, readConfig, silentLogger, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, openMediaStore, type DocumentDatabase } from '@parlance/storage';
import { openTaskQueue, type TaskQueue, type Working } from '@parlance/task-queue';
import { eventually } from '@parlance/testing';
import { ingestApplication, type IngestUnderTest } from '../test/ingest-application.js';
import { ingestConfig } from './ingest.config.js';
import { readErasureLines } from './jobs/erasure/erasure-lines.js';
import { FAILURE, NOON, TRANSCRIPT_ONLY } from './jobs/state/job.fixture.js';
import { JobStore } from './jobs/state/job-store.js';
import { scheduleCollection } from './jobs/schedule/schedule.js';

let folder: string;
let documents: DocumentDatabase;
let jobs: JobStore;
let ingest: IngestUnderTest;
let tasks: TaskQueue;
let working: Working[];
let fetching: PromiseWithResolvers<AbortSignal>;
let time: number;

beforeEach(async () => {
  time = Date.parse(NOON);
  folder = await mkdtemp(join(tmpdir(), 'parlance-ingest-consumers-'));
  const clock = { now: () => new Date(time) };
  const log = silentLogger();
  documents = await openDocumentDatabase(`sqlite:${join(folder, 'ingest.db')}`, { clock, ids: ulidGenerator(), source: 'ingest' });
  jobs = new JobStore(documents, clock, () => undefined);
  tasks = await openTaskQueue(`sqlite:${join(folder, 'tasks.db')}`, { clock, log, isOwner: true });
  working = [];
  fetching = Promise.withResolvers();
  const config = readConfig(ingestConfig, { env: { JOBS_ACTIVE_PER_ACCOUNT: '1', ERASURE_LOG: join(folder, 'log-disk', 'erasures') }, readFile: () => '' });
  const media = await openMediaStore(`file:${join(folder, 'media')}`);
  ingest = await ingestApplication({
    config,
    documents,
    media,
    tasks,
    clock,
    metrics: createMetrics(),
    scratchFolder: folder,
    intake: {
      // A fetch that continues until it is stopped.
      fetch: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          fetching.resolve(signal);
        }),
      prepare: () => Promise.reject(new Error('no media in this test')),
    },
  });
});
afterEach(async () => {
  await ingest.close();
  await tasks.close();
  await documents.close();
  await rm(folder, { recursive: true });
});

const create = (jobId: string, options = TRANSCRIPT_ONLY) =>
  ingest.requests.create({ jobId, accountId: 'acc_1', source: { kind: 'url', url: 'https://media.example/a.mp3', fetched: false }, options });

/** The newest event of a type that was stored. */
async function stored<K extends EventType>(type: K): Promise<EventEnvelope<K>> {
  const events = (await documents.outbox.pending(1000)).flatMap((commit) => commit.events);
  const found = events.findLast((event) => event.type === type);
  if (!found) throw new Error(`there is no ${type}`);
  return found as EventEnvelope<K>;
}

/** Hands an event to its consumer, as a bus would. */
async function hand<K extends EventType>(event: EventEnvelope<K>): Promise<void> {
  const handler = ingest.consumers.map(({ handlers }) => handlers[event.type]).find((known) => known !== undefined);
  await handler?.({ event, attempt: 1, maxAttempts: 3, signal: new AbortController().signal, draining: new AbortController().signal });
}

/** The newest event of a type. */
const deliver = async (type: EventType): Promise<void> => hand(await stored(type));

/** Starts the workers. @returns the signal of the first fetch, once it runs */
async function work(): Promise<AbortSignal> {
  for (const worker of ingest.workers) working.push(await tasks.work(worker));
  return fetching.promise;
}

async function failAndRetry(jobId: string): Promise<void> {
  await jobs.apply(jobId, { type: 'ingest_failed', run: 1, error: FAILURE });
  await ingest.requests.retry('acc_1', jobId);
}

const active = async () => (await documents.collection(scheduleCollection).get('acc_1'))?.document.active;

describe('the end of a run that is heard after its retry', () => {
  beforeEach(async () => {
    await create('job_1');
    await deliver('job.created');
    await failAndRetry('job_1');
  });

  it('frees the place of that run, which the next one takes', async () => {
    expect(await active()).toEqual([{ jobId: 'job_1', run: 1 }]);
    await deliver('job.failed');
    expect(await active()).toEqual([{ jobId: 'job_1', run: 2 }]);
    await deliver('job.failed');
    expect(await active()).toEqual([{ jobId: 'job_1', run: 2 }]);
  });

  it('is not waited for by the next run: the retry itself frees the place', async () => {
    await deliver('job.progressed');
    expect(await active()).toEqual([{ jobId: 'job_1', run: 2 }]);
  });

  it('does not stop the work of the next run', async () => {
    await deliver('job.failed');
    const signal = await work();
    await deliver('job.failed');
    expect(signal.aborted).toBe(false);
    expect(await jobs.get('job_1')).toMatchObject({ status: 'processing', run: 2 });
  });
});

describe('the end of a job', () => {
  it('stops its work, which has nothing to say any more', async () => {
    await create('job_1');
    await deliver('job.created');
    const signal = await work();
    await ingest.requests.cancel('acc_1', 'job_1');
    await deliver('job.canceled');
    expect(signal.aborted).toBe(true);
    await working[0]?.close();
    expect(await tasks.backlog('ingest-fetch')).toMatchObject({ waiting: 0, running: 0, delayed: 0, dead: 0 });
  });
});

describe('a request of the version before', () => {
  const request = (run: number): EventEnvelope<'ingest.requested'> => ({ id: 'evt_1', type: 'ingest.requested', source: 'ingest', time: NOON, key: 'job_1', data: { jobId: 'job_1', accountId: 'acc_1', run } });

  it('becomes a task, once', async () => {
    await create('job_1');
    for (let time = 0; time < 2; time += 1) await hand(request(1));
    expect(await tasks.backlog('ingest-fetch')).toMatchObject({ waiting: 1 });
    await work();
    expect(await jobs.get('job_1')).toMatchObject({ status: 'processing' });
  });

  it('for a run that is over lets the next one begin', async () => {
    await create('job_1');
    await deliver('job.created');
    await failAndRetry('job_1');
    await hand(request(1));
    await work();
    expect(await jobs.get('job_1')).toMatchObject({ status: 'processing', run: 2 });
  });
});

describe('the media of a failed job', () => {
  it.each([['media_unsupported', 0], ['media_timeout', 1]])('with %s: %i objects are left at its end', async (code, left) => {
    const media = await openMediaStore(`file:${join(folder, 'media')}`);
    await create('job_1');
    await media.put('acc_1/job_1/source', new Blob(['junk']).stream());
    await jobs.apply('job_1', { type: 'ingest_failed', run: 1, error: { ...FAILURE, code } });
    await deliver('job.failed');
    let objects = 0;
    for await (const _ of media.list('acc_1/')) objects += 1;
    expect(objects).toBe(left);
  });
});

describe('an erasure', () => {
  it('removes the media again after a minute and after an hour: a worker that was killed may have stored some after it', async () => {
    await mkdir(join(folder, 'log-disk'));
    const media = await openMediaStore(`file:${join(folder, 'media')}`);
    await create('job_1');
    await ingest.requests.delete('acc_1', 'job_1');
    await deliver('job.deleted');
    const erasures = ingest.workers.filter(({ queue }) => queue === 'ingest-erasure');
    expect(erasures).toHaveLength(1);
    for (const worker of erasures) await tasks.work(worker);
    for (const afterMs of [60_000, 3_600_000]) {
      await media.put('acc_1/job_1/audio/000000.pcm', new Blob(['speech']).stream());
      time = Date.parse(NOON) + afterMs;
      await eventually('the media to be removed', async () => (await media.head('acc_1/job_1/audio/000000.pcm')) === undefined);
    }
  });
});

describe('an erasure while the disk of ERASURE_LOG is away', () => {
  const items = async () => (await ingest.erasures.get('acc_1', (await stored('job.deleted')).data.erasureId ?? '')).items;

  it('removes the media at once, and is reported when its line is on the disk', async () => {
    const media = await openMediaStore(`file:${join(folder, 'media')}`);
    await create('job_1');
    await media.put('acc_1/job_1/source', new Blob(['speech']).stream());
    await ingest.requests.delete('acc_1', 'job_1');
    const error = await deliver('job.deleted').catch((thrown: unknown) => thrown);
    expect(isOutage(error)).toBe(true);
    expect(await media.head('acc_1/job_1/source')).toBeUndefined();
    expect(await items()).toEqual([]);
    await mkdir(join(folder, 'log-disk'));
    await deliver('job.deleted');
    expect(await readErasureLines(join(folder, 'log-disk', 'erasures'))).toMatchObject([{ jobId: 'job_1', accountId: 'acc_1' }]);
    expect(await items()).toMatchObject([{ what: 'media' }]);
  });
});

describe('a failed job that is not to be kept', () => {
  const settled = async (): Promise<EventEnvelope<'webhook.settled'>> => {
    const { sequence } = (await stored('job.failed')).data;
    const data = events.WebhookSettled.fromPartial({ jobId: 'job_1', accountId: 'acc_1', sequence, status: common.JobStatus.JOB_STATUS_FAILED });
    return { id: 'evt_1', type: 'webhook.settled', source: 'webhook-dispatcher', time: NOON, key: 'job_1', data };
  };
  beforeEach(async () => {
    await create('job_1', { ...TRANSCRIPT_ONLY, retentionHours: 0 });
    await jobs.apply('job_1', { type: 'started', run: 1 });
    await jobs.apply('job_1', { type: 'ingest_failed', run: 1, error: FAILURE });
  });

  it('is erased when the webhook of its end is settled', async () => {
    await hand(await settled());
    expect(await jobs.get('job_1')).toBeUndefined();
  });

  it('stays when it is retried between being looked at and being erased', async () => {
    const { open } = ingest.erasures;
    jest.spyOn(ingest.erasures, 'open').mockImplementation(async (...receipt) => {
      await ingest.requests.retry('acc_1', 'job_1');
      await open.apply(ingest.erasures, receipt);
    });
    await hand(await settled());
    expect(await ingest.requests.get('acc_1', 'job_1')).toMatchObject({ status: 'queued', run: 2 });
  });
});
