import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ingest, common } from '@parlance/contracts';
import { AppError, notFound, silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { eventually } from '@parlance/testing';
import { LiveFeed } from '../session/live-feed.js';
import { LiveSessions } from '../session/live-sessions.js';
import { LiveTokens } from '../session/live-tokens.js';
import { LiveEndings } from './live-endings.js';

const ids = ulidGenerator();
const HOUR_MS = 3_600_000;

describe('the end of live sessions', () => {
  const opened = new AsyncDisposableStack();
  let documents: DocumentDatabase;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-endings-'));
    opened.defer(() => rm(folder, { recursive: true }));
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'gateway.db')}`, { clock: systemClock, ids, log: silentLogger(), source: 'gateway' });
    opened.defer(() => documents.close());
  });
  afterAll(() => opened.disposeAsync());

  let now: number;
  let sessions: LiveSessions;
  let finished: string[];
  let canceled: string[];
  let reasons: string[];
  let jobs: Map<string, common.JobStatus>;
  let feed: LiveFeed;
  let finish: (id: string, generation: number, signal: AbortSignal) => Promise<void>;
  let endings: LiveEndings;
  beforeEach(() => {
    now = Date.parse('2026-01-01T00:00:00.000Z');
    const clock = { now: () => new Date(now) };
    [finished, canceled, reasons, jobs] = [[], [], [], new Map()];
    sessions = new LiveSessions(documents, clock, new LiveTokens(clock, randomBytes));
    finish = async (id, generation) => {
      await sessions.end(id, generation);
      finished.push(id);
    };
    const service = {
      getJob: async ({ jobId }: ingest.GetJobRequest): Promise<ingest.GetJobResponse> => {
        const status = jobs.get(jobId);
        if (status === undefined) throw notFound('The job');
        return { job: ingest.Job.fromPartial({ jobId, status }) };
      },
      cancelJob: async ({ jobId }: ingest.CancelJobRequest): Promise<ingest.CancelJobResponse> => {
        canceled.push(jobId);
        return { job: undefined };
      },
    };
    feed = new LiveFeed();
    endings = new LiveEndings(sessions, { finish: (...end) => finish(...end) }, service, clock, silentLogger(), { sessionEnded: (reason) => void reasons.push(reason) }, feed);
  });

  /** An end that stalls until it is aborted. */
  const stalling = async (_id: string, _generation: number, signal: AbortSignal) => {
    await once(signal, 'abort');
    signal.throwIfAborted();
  };
  const create = async (resumeMs = 60_000) => {
    const id = ids.next('job');
    jobs.set(id, common.JobStatus.JOB_STATUS_PROCESSING);
    const limits = { maxFrameBytes: 1, maxBytes: 1e9, idleMs: 60_000, maxSessionMs: 24 * HOUR_MS, resumeMs };
    await sessions.create({ id, accountId: 'acc_1', keyId: 'key_1', credentialId: 'key_1', audio: { container: 'auto' }, partials: true, endpointing: { silenceMs: 500, maxUtteranceMs: 20_000 }, options: {}, storeAudio: true, finalPass: 'none', limits });
    return id;
  };
  const statusOf = async (id: string) => (await sessions.find(id))?.status;
  /** One round, and the work that it began. */
  const round = async () => {
    await endings.round(new AbortController().signal);
    await endings.settled();
  };

  it('comes when the window to connect again is over, and not before', async () => {
    const id = await create();
    now += 59_000;
    await round();
    expect(await statusOf(id)).toBe('open');
    now += 2000;
    await round();
    expect([await statusOf(id), finished, reasons]).toEqual(['ended', [id], ['window']]);
    await round();
    expect(finished).toEqual([id]);
  });

  it('is announced to the connection of this process before what is left is recognized', async () => {
    finish = stalling;
    const id = await create();
    const news: string[] = [];
    feed.follow(id, ({ type }) => void news.push(type));
    await endings.begin(id, 'request');
    expect(news).toEqual(['ending']);
    await sessions.cancel(id);
    feed.publish(id, { type: 'canceled' });
    await endings.settled();
  });

  it('comes once when many replicas look at the same time', async () => {
    const id = await create();
    now += 61_000;
    await Promise.all([round(), round(), round()]);
    await eventually('the end', async () => (await statusOf(id)) === 'ended');
    expect(finished).toEqual([id]);
  });

  it('is tried again with growing pauses when it fails', async () => {
    const id = await create();
    const works = finish;
    finish = () => Promise.reject(new AppError({ code: 'service_unavailable', message: 'Away.' }));
    now += 61_000;
    const tries: number[] = [];
    for (let seconds = 0; seconds < 300; seconds += 5) {
      const before = (await sessions.find(id))?.ending?.failures ?? 0;
      await round();
      if (((await sessions.find(id))?.ending?.failures ?? 0) > before) tries.push(seconds);
      now += 5000;
    }
    const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
    expect(pauses.length).toBeGreaterThanOrEqual(3);
    expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
    finish = works;
    now += HOUR_MS;
    await round();
    expect(await statusOf(id)).toBe('ended');
  });

  it('is given up after a day, with its job', async () => {
    const id = await create();
    finish = () => Promise.reject(new AppError({ code: 'service_unavailable', message: 'Away.' }));
    now += 61_000;
    for (let hours = 0; hours < 27; hours++) {
      await round();
      now += HOUR_MS;
    }
    expect([await statusOf(id), canceled, reasons]).toEqual(['canceled', [id], ['failed']]);
  });

  it('is that of the job when it is gone or was canceled', async () => {
    const [gone, over] = [await create(), await create()];
    jobs.delete(gone);
    jobs.set(over, common.JobStatus.JOB_STATUS_CANCELED);
    finish = () => Promise.reject(new AppError({ code: 'invalid_state', message: 'No.' }));
    now += 61_000;
    await round();
    expect([await statusOf(gone), await statusOf(over)]).toEqual(['canceled', 'canceled']);
  });

  it('is left to the process that took over', async () => {
    const id = await create();
    finish = async () => {
      await sessions.takeOverEnd(id);
      throw new AppError({ code: 'live_ended', message: 'Ended.' });
    };
    now += 61_000;
    await round();
    expect((await sessions.find(id))?.ending?.failures).toBe(0);
  });

  it('comes at once by request', async () => {
    const id = await create();
    await endings.begin(id, 'request');
    await endings.settled();
    expect([await statusOf(id), reasons]).toEqual(['ended', ['request']]);
    await endings.begin(id, 'request');
  });

  it('stops when its job is canceled, or another process has taken it over', async () => {
    finish = stalling;
    const [canceledJob, takenOver] = [await create(), await create(30)];
    for (const id of [canceledJob, takenOver]) await endings.begin(id, 'request');
    await sessions.takeOverEnd(takenOver);
    feed.publish(canceledJob, { type: 'canceled' });
    await endings.settled();
    expect([(await sessions.find(takenOver))?.ending?.failures, reasons]).toEqual([0, []]);
  });

  it('stops at the shutdown of its process, and is continued by another one', async () => {
    const id = await create();
    const works = finish;
    finish = stalling;
    await endings.begin(id, 'request');
    await endings.onModuleDestroy();
    expect(await sessions.find(id)).toMatchObject({ status: 'ending', ending: { failures: 0 } });
    finish = works;
    now += 1;
    await round();
    expect([await statusOf(id), reasons]).toEqual(['ended', ['window']]);
  });
});
