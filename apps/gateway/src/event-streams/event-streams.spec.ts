import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { common, events, transcripts } from '@parlance/contracts';
import { eventually } from '@parlance/testing';
import fc from 'fast-check';
import { receivedEvents, type ReceivedEvent } from '../../test/event-stream-client.js';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { completed, queuedJob } from '../../test/job-messages.js';
import { parsePosition, positionText } from './event-position.js';
import { JobEventStream } from './job-event-stream.js';
import { JobWatcher } from '../transcriptions/job-watcher.js';

const segment = (id: string) => transcripts.Segment.fromPartial({ segmentId: id, start: 0, end: 1, text: id, confidence: 1 });

describe('the events of a job', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const open = async (jobId: string, lastEventId?: string, signal?: AbortSignal) => {
    const response = await gateway.fetch(`/api/v1/transcriptions/${jobId}/events`, {
      headers: { accept: 'text/event-stream', ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
      ...(signal && { signal }),
    });
    return { response, stream: receivedEvents(response) };
  };
  const rest = async (stream: AsyncIterable<ReceivedEvent>) => {
    const all: ReceivedEvent[] = [];
    for await (const event of stream) all.push(event);
    return all;
  };
  const names = (received: readonly ReceivedEvent[]) => received.map(({ event, data }) => (event === 'transcript.segment' ? String(data.segment_id) : event));
  const chunkDone = (jobId: string) => gateway.process.publish({ type: 'chunk.transcribed', data: events.ChunkTranscribed.fromPartial({ jobId, accountId: gateway.accountId }) });
  const jobNews = (jobId: string) => gateway.process.publish({ type: 'job.progressed', data: events.JobEvent.fromPartial({ jobId, accountId: gateway.accountId }) });
  const run = (jobId: string) => gateway.services.change(jobId, (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_PROCESSING, chunksTotal: 2, progress: { percent: 40, stage: common.Stage.STAGE_TRANSCRIPTION, etaSeconds: 7 } }));
  const watches = async () => /parlance_job_watches (\d+)/.exec(await (await fetch(`${gateway.url}/metrics`)).text())?.[1];

  it('come as they happen, and end with done', async () => {
    const jobId = await gateway.submit();
    const { response, stream } = await open(jobId);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const next = async () => (await stream.next()).value as ReceivedEvent;
    expect(await next()).toMatchObject({ event: 'status', data: { job_id: jobId, status: 'queued' } });
    expect(await next()).toMatchObject({ event: 'progress', data: { percent: 0, stage: 'ingest' } });
    run(jobId);
    await jobNews(jobId);
    expect(await next()).toMatchObject({ event: 'status', data: { status: 'processing' } });
    expect(await next()).toMatchObject({ event: 'progress', data: { percent: 40, stage: 'transcription', eta_seconds: 7 } });
    gateway.services.chunks.set(jobId, [[segment('a'), segment('b')]]);
    await chunkDone(jobId);
    expect([await next(), await next()].map(({ data }) => data.segment_id)).toEqual(['a', 'b']);
    gateway.services.chunks.get(jobId)?.push([segment('c')]);
    gateway.services.change(jobId, completed);
    await jobNews(jobId);
    const last = names(await rest(stream));
    expect([last.toSorted(), last.at(-1)]).toEqual([['c', 'done', 'progress', 'status'], 'done']);
  });

  it('go on after the last one received, with none lost or told twice', async () => {
    const jobId = await gateway.submit();
    run(jobId);
    gateway.services.chunks.set(jobId, [[segment('a'), segment('b')], [], [segment('c')]]);
    gateway.services.change(jobId, completed);
    const all = await rest((await open(jobId)).stream);
    expect(names(all)).toEqual(['status', 'progress', 'a', 'b', 'c', 'done']);
    for (const [index, { id }] of all.slice(1, -1).entries()) {
      const resumed = await rest((await open(jobId, id)).stream);
      expect(names(resumed)).toEqual(names(all.slice(index + 2)));
    }
  });

  it('name the end of a summary that was requested later, and are not over before it', async () => {
    const jobId = await gateway.submit();
    gateway.services.change(jobId, completed);
    const toldDone = (await rest((await open(jobId)).stream)).at(-1)?.id;
    const { body: ordered } = await gateway.call<{ summary_id: string }>('POST', `/transcriptions/${jobId}/summaries`);
    const { stream } = await open(jobId, toldDone);
    await eventually('the stream to wait', async () => (await watches()) === '1');
    const failure = { code: 'engine_failed', message: 'The engine is away.', retryable: true };
    gateway.services.furtherSummaries.splice(0);
    gateway.services.change(jobId, (job) => ({ ...job, endedSummaries: [{ summaryId: ordered.summary_id, error: failure, version: job.version + 1 }] }));
    await jobNews(jobId);
    const events = await rest(stream);
    expect(events.filter(({ event }) => event === 'summary').map(({ data }) => data)).toEqual([{ event: 'summary', job_id: jobId, summary_id: ordered.summary_id, status: 'failed', error: failure }]);
    expect(events.at(-1)?.event).toBe('done');
    expect((await open(jobId, events.at(-1)?.id)).response.status).toBe(204);
  });

  it('give out nothing of a job that may fail for its language unbilled, until its transcript is there', async () => {
    const jobId = await gateway.submit();
    run(jobId);
    gateway.services.chunks.set(jobId, [[segment('a')]]);
    const asked = (detection: Partial<common.LanguageDetection>) => gateway.services.change(jobId, (job) => ({ ...job, options: common.JobOptions.fromPartial({ languageDetection: { expected: ['en'], ...detection } }) }));
    asked({});
    gateway.services.change(jobId, (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_FAILED }));
    expect(names(await rest((await open(jobId)).stream))).toEqual(['status', 'progress', 'done']);
    asked({ fallback: 'en' });
    expect(names(await rest((await open(jobId)).stream))).toEqual(['status', 'progress', 'a', 'done']);
    asked({});
    gateway.services.change(jobId, completed);
    expect(names(await rest((await open(jobId)).stream))).toContain('a');
  });

  it('begin again after an id that the job has not come to', async () => {
    const jobId = await gateway.submit();
    run(jobId);
    gateway.services.chunks.set(jobId, [[segment('a')], [segment('b')]]);
    gateway.services.change(jobId, completed);
    const all = names(await rest((await open(jobId)).stream));
    const never = ['999999.0.0', '999999.0.0.done', '1.999.0', '1.0.999', '1.1.2', '2.2.1', '-1.0.0', '1.0', '1e3.0.0', '0x1.0.0', '99999999999.0.0', 'done', 'null', '1.0.0; drop'];
    for (const id of never) expect(names(await rest((await open(jobId, id)).stream))).toEqual(all);
  });

  it('after done are none: 204 tells the client to stay away, until a retry begins another run', async () => {
    const jobId = await gateway.submit();
    gateway.services.change(jobId, (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_FAILED, error: { code: 'media_empty', message: 'Nothing in it.', retryable: false } }));
    const last = (await rest((await open(jobId)).stream)).at(-1);
    expect(last).toMatchObject({ event: 'done', data: { status: 'failed', error: { code: 'media_empty' } } });
    expect((await open(jobId, last?.id)).response.status).toBe(204);
    gateway.services.change(jobId, (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_CANCELED }));
    expect(names(await rest((await open(jobId, last?.id)).stream))).toEqual(['status', 'progress', 'done']);
  });

  it('of a completed job go on while an add-on is done again', async () => {
    const jobId = await gateway.submit();
    const withSummary = (status: common.StageStatus) => gateway.services.change(jobId, (job) => ({ ...completed(job), version: job.version + 1, stages: [common.StageState.fromPartial({ stage: common.Stage.STAGE_SUMMARY, status })] }));
    withSummary(common.StageStatus.STAGE_STATUS_PENDING);
    const { stream } = await open(jobId);
    const next = async () => (await stream.next()).value as ReceivedEvent;
    expect([(await next()).event, (await next()).event]).toEqual(['status', 'progress']);
    const waiting = gateway.call('GET', `/transcriptions/${jobId}?wait=60`);
    withSummary(common.StageStatus.STAGE_STATUS_RUNNING);
    await jobNews(jobId);
    withSummary(common.StageStatus.STAGE_STATUS_COMPLETED);
    await jobNews(jobId);
    expect(names(await rest(stream)).at(-1)).toBe('done');
    expect((await waiting).body).toMatchObject({ status: 'completed', stages: { summary: { status: 'completed' } } });
  });

  it('leave nothing behind when the client goes away', async () => {
    const jobId = await gateway.submit();
    const leave = new AbortController();
    const { stream } = await open(jobId, undefined, leave.signal);
    await stream.next();
    await eventually('the watch', async () => (await watches()) === '1');
    leave.abort();
    await expect(rest(stream)).rejects.toThrow();
    await eventually('the watch to be gone', async () => (await watches()) === '0');
  });

  it('are not held open for HEAD', async () => {
    const jobId = await gateway.submit();
    const response = await gateway.fetch(`/api/v1/transcriptions/${jobId}/events`, { method: 'HEAD' });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });

  it('end when the job is deleted', async () => {
    const jobId = await gateway.submit();
    const { stream } = await open(jobId);
    await stream.next();
    gateway.services.jobs.delete(jobId);
    await jobNews(jobId);
    expect(names(await rest(stream))).toEqual(['progress']);
    expect((await open(jobId)).response.status).toBe(404);
  });
});

describe('an event stream', () => {
  afterEach(async () => {
    jest.restoreAllMocks();
    // The slices of a turn begin anew in the next one.
    await nextTurn();
  });
  it('ends when the server stops, and lets it stop', async () => {
    const gateway = await GatewayHarness.start();
    const jobId = await gateway.submit();
    const response = await gateway.fetch(`/api/v1/transcriptions/${jobId}/events`);
    const stream = receivedEvents(response);
    await stream.next();
    await stream.next();
    const end = stream.next();
    await gateway[Symbol.asyncDispose]();
    expect((await end).done).toBe(true);
  });

  it('of a finished job of eight hours leaves the event loop after every 10 ms of work', async () => {
    const job = completed({ ...queuedJob({ jobId: 'job_8h', accountId: 'acc_1' }), chunksTotal: 960 });
    const chunks = Array.from({ length: 960 }, (_, chunk) => Array.from({ length: 6 }, (_none, index) => segment(`${chunk}.${index}`)));
    const pages = (from: number) => ({ segments: chunks.slice(from, from + 50).flat(), nextChunk: Math.min(from + 50, 960) });
    const transcripts = { listChunkSegments: async ({ fromChunk }: { fromChunk: number }) => pages(fromChunk), getTranscript: async function* () {} } as never;
    const summaries = { countOpenSummaries: async () => ({ count: 0 }) } as never;
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const options = { jobs: { get: async () => job }, transcripts, summaries, watcher: new JobWatcher() };
    let inThisTurn = 0;
    let most = 0;
    const ended = new AbortController();
    const turns = (async () => {
      for (; !ended.signal.aborted; inThisTurn = 0) await nextTurn();
    })();
    let all = 0;
    for await (const text of new JobEventStream(options, { accountId: 'acc_1', jobId: 'job_8h' }, parsePosition(undefined)).events(job, new AbortController().signal)) {
      all += text.split('\n\n').length - 1;
      // Each event takes a millisecond.
      now++;
      most = Math.max(most, ++inThisTurn);
    }
    ended.abort();
    await turns;
    expect(all).toBe(960 * 6 + 3);
    expect(most).toBeLessThanOrEqual(16);
  });

  it('has comments as its heartbeat', async () => {
    const job = queuedJob({ jobId: 'job_1', accountId: 'acc_1' });
    const options = { jobs: { get: async () => job }, transcripts: undefined as never, summaries: undefined as never, watcher: new JobWatcher(), heartbeatMs: 5 };
    const stream = new JobEventStream(options, { accountId: 'acc_1', jobId: 'job_1' }, parsePosition(undefined));
    const stop = new AbortController();
    const texts: string[] = [];
    for await (const text of stream.events(job, stop.signal)) {
      texts.push(text);
      if (text === ':\n\n') stop.abort();
    }
    expect(texts).toHaveLength(3);
    expect(options.watcher.size).toBe(0);
  });

  it('has ids that say where it is', () => {
    const number = fc.nat({ max: 999_999_999 });
    fc.assert(
      fc.property(fc.record({ version: number, chunk: number, segments: number, done: fc.boolean() }), (position) => {
        expect(parsePosition(positionText(position))).toEqual(position);
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => expect(parsePosition(text)).toMatchObject({ version: expect.any(Number) })));
  });
});
