import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { common, mediaKeys, type ingest } from '@parlance/contracts';
import { eventually, SAMPLES } from '@parlance/testing';
import type { ChunkPlan } from '@parlance/transcript';
import { ACCOUNT, IngestHarness } from './ingest-harness.js';
import { writeObject } from './stored-objects.js';

const { JOB_STATUS_CANCELED, JOB_STATUS_COMPLETED, JOB_STATUS_FAILED, JOB_STATUS_PROCESSING, JOB_STATUS_QUEUED } = common.JobStatus;
const { STAGE_DIARIZATION, STAGE_HIGHLIGHTS, STAGE_INGEST, STAGE_SEARCH, STAGE_SUMMARY } = common.Stage;
const { LIVE_FINAL_PASS_NONE, LIVE_FINAL_PASS_SAME } = common.LiveFinalPass;
const FAILURE: common.Failure = { code: 'engine_failed', message: 'Chunk 1 could not be transcribed.', retryable: true };
const CONTAINER = common.LiveAudio.fromPartial({});
const PIECE = 64 * 1024;

let harness: IngestHarness;
let speech: Buffer;
beforeAll(async () => {
  speech = await readFile(SAMPLES.reading.path);
  harness = await IngestHarness.start({ JOBS_IN_FLIGHT_PER_ACCOUNT: '3' });
});
afterAll(() => harness[Symbol.asyncDispose]());

const keysOf = (jobId: string) => mediaKeys(ACCOUNT, jobId);
const live = (changes: Partial<ingest.LiveSource> = {}): ingest.CreateJobRequest['source'] => ({ $case: 'live', value: { audio: CONTAINER, finalPass: LIVE_FINAL_PASS_NONE, storeAudio: true, ...changes } });

/** Stores a session's audio and finals as the gateway does. @returns the end of the session */
async function speak(jobId: string): Promise<{ jobId: string; pieces: string[]; finalsKey: string }> {
  const { livePiece, liveFinals: finalsKey } = keysOf(jobId);
  const pieces: string[] = [];
  for (let offset = 0; offset < speech.length; offset += PIECE) {
    pieces.push(livePiece(offset, 1));
    await writeObject(harness.media, livePiece(offset, 1), speech.subarray(offset, offset + PIECE));
  }
  await writeObject(harness.media, finalsKey, Buffer.from(JSON.stringify({ engine: 'fixture', finals: [] })));
  return { jobId, pieces, finalsKey };
}

async function complete(jobId: string, run = 1): Promise<ingest.Job> {
  await harness.transcribe(jobId, run);
  for (const stage of [STAGE_DIARIZATION, STAGE_SUMMARY, STAGE_HIGHLIGHTS, STAGE_SEARCH]) await harness.finishStage(jobId, stage, { run });
  return harness.until(jobId, JOB_STATUS_COMPLETED);
}

const planOf = async (jobId: string) => JSON.parse(await harness.storedText(keysOf(jobId).plan)) as ChunkPlan;

describe('the job of a live session', () => {
  it('is processing while its audio arrives, and then goes the way of an upload', async () => {
    const created = await harness.create('job_said', live());
    expect(created).toMatchObject({ status: JOB_STATUS_PROCESSING, run: 1, live: { open: true, finalPass: LIVE_FINAL_PASS_NONE, storeAudio: true } });
    expect(created.progress).toMatchObject({ percent: 0, stage: STAGE_INGEST });
    const end = await speak('job_said');
    const gaps = [{ start: 1, end: 2.5, reason: 'skipped' }];
    expect(await harness.finishLive({ ...end, gaps })).toMatchObject({ status: JOB_STATUS_PROCESSING, live: { open: false } });
    await harness.finishLive(end);

    const job = await complete('job_said');
    expect(job).toMatchObject({ media: { format: 'flac', sizeBytes: speech.length }, live: { open: false }, warnings: [{ code: 'audio_gap' }] });
    expect(job.billedSeconds).toBe(job.media?.duration);
    expect((await harness.untilHeard('usage.recorded', 'job_said'))[0]).toMatchObject({ run: 1, milliseconds: Math.round((job.media?.duration ?? 0) * 1000) });
    expect((await planOf('job_said')).options.liveFinalsKey).toBe(end.finalsKey);
    await eventually('the audio to be removed', async () => !(await harness.storedKeys(keysOf('job_said').audioPrefix)).length);
    expect(await harness.storedKeys(keysOf('job_said').all)).toEqual(['live-finals.json', 'peaks', 'plan.json', 'source'].map((name) => `${keysOf('job_said').all}${name}`));
    await eventually('the last event', () => harness.announced('job_said').length === 4);
    expect(harness.announced('job_said')).toEqual(['job.created', 'job.started', 'job.transcript_ready', 'job.completed']);
    expect((await harness.finishLive(end)).version).toBe(job.version);
  });

  it('is transcribed by the engine when a final pass is asked for, or nothing was recognized', async () => {
    await harness.create('job_same', live({ finalPass: LIVE_FINAL_PASS_SAME }));
    await harness.create('job_mute', live());
    await harness.finishLive(await speak('job_same'));
    await harness.finishLive({ ...(await speak('job_mute')), finalsKey: '' });
    for (const jobId of ['job_same', 'job_mute']) {
      await harness.untilHeard('media.ready', jobId);
      expect((await planOf(jobId)).options).not.toHaveProperty('liveFinalsKey');
      await harness.cancel(jobId);
    }
  });

  it('is retried with its recording and its finals', async () => {
    await harness.create('job_resaid', live());
    await harness.finishLive(await speak('job_resaid'));
    const [chunk] = await harness.chunksOf('job_resaid');
    await harness.publish({ type: 'chunk.failed', data: { jobId: 'job_resaid', accountId: ACCOUNT, run: 1, index: chunk?.index ?? 0, total: chunk?.total ?? 0, error: FAILURE } });
    await harness.until('job_resaid', JOB_STATUS_FAILED);
    expect(await harness.retry('job_resaid')).toMatchObject({ status: JOB_STATUS_QUEUED, run: 2, live: { open: false } });
    await complete('job_resaid', 2);
    expect((await planOf('job_resaid')).options.liveFinalsKey).toBe(keysOf('job_resaid').liveFinals);
  });

  it('loses its recording at its end where that is not to be stored, after the speakers were told apart', async () => {
    await harness.create('job_off', live({ storeAudio: false }));
    await harness.finishLive(await speak('job_off'));
    await harness.transcribe('job_off');
    for (const stage of [STAGE_SUMMARY, STAGE_HIGHLIGHTS, STAGE_SEARCH]) await harness.finishStage('job_off', stage);
    expect((await harness.storedKeys(keysOf('job_off').audioPrefix)).length).toBeGreaterThan(0);
    await harness.finishStage('job_off', STAGE_DIARIZATION);
    await harness.until('job_off', JOB_STATUS_COMPLETED);
    await eventually('the media to be removed', async () => (await harness.get('job_off')).mediaRemoved && (await harness.storedKeys(keysOf('job_off').all)).length === 0);
  });

  it('has failed when its session ended without audio', async () => {
    await harness.create('job_silent', live());
    expect(await harness.finishLive({ jobId: 'job_silent' })).toMatchObject({ status: JOB_STATUS_FAILED, error: { code: 'media_empty', retryable: false }, billedSeconds: 0 });
  });

  it('is canceled while it is open, costs nothing, and keeps no piece', async () => {
    await harness.create('job_hung_up', live());
    const end = await speak('job_hung_up');
    expect(await harness.cancel('job_hung_up')).toMatchObject({ status: JOB_STATUS_CANCELED, billedSeconds: 0, live: { open: false } });
    await expect(harness.finishLive(end)).rejects.toMatchObject({ code: 'invalid_state' });
    await eventually('the pieces to be removed', async () => (await harness.storedKeys(keysOf('job_hung_up').livePrefix)).length === 0);
  });

  it('is deleted while it is open with everything that arrived', async () => {
    await harness.create('job_unsaid', live());
    const end = await speak('job_unsaid');
    const erasureId = await harness.delete('job_unsaid');
    await eventually('the pieces to be erased', async () => (await harness.storedKeys(keysOf('job_unsaid').all)).length === 0);
    await eventually("ingest's own report", async () => (await harness.erasure(erasureId))?.items.some(({ where, count }) => where === 'ingest' && count === end.pieces.length + 1));
    await expect(harness.finishLive(end)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('is one of its own account, with pieces and finals that are its own', async () => {
    await harness.create('job_own', live());
    const { livePiece, liveFinals } = keysOf('job_other');
    await expect(harness.finishLive({ jobId: 'job_own', pieces: [livePiece(0, 1)] })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(harness.finishLive({ jobId: 'job_own', finalsKey: liveFinals })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(harness.finishLive({ jobId: 'job_own', accountId: 'acc_2' })).rejects.toMatchObject({ kind: 'not_found' });
    await expect(harness.create('job_slow', live({ audio: { encoding: common.LiveEncoding.LIVE_ENCODING_MULAW, sampleRate: 4000, channels: 1 } }))).rejects.toMatchObject({ code: 'invalid_request' });
    await harness.cancel('job_own');
  });

  it('begins also when the account has as many jobs as it may have, and is listed apart from files', async () => {
    harness.mediaServer.at('/never', () => {});
    const files = ['job_file_1', 'job_file_2', 'job_file_3'];
    for (const jobId of files) await harness.create(jobId, '/never', { metadata: { of: 'kinds' } });
    await expect(harness.create('job_file_4', '/never')).rejects.toMatchObject({ code: 'too_many_jobs' });
    await expect(harness.finishLive({ jobId: 'job_file_1' })).rejects.toMatchObject({ code: 'invalid_request' });
    for (const jobId of ['job_live_1', 'job_live_2']) await harness.create(jobId, live(), { metadata: { of: 'kinds' } });
    const ids = async (request: Parameters<IngestHarness['list']>[0]) => (await harness.list({ metadata: { of: 'kinds' }, ...request })).jobs.map(({ jobId }) => jobId);
    expect(await ids({ kind: 'live' })).toEqual(['job_live_2', 'job_live_1']);
    expect(await ids({ kind: 'file' })).toEqual(files.toReversed());
    const first = await harness.list({ metadata: { of: 'kinds' }, kind: 'file', limit: 2 });
    expect(await ids({ kind: 'file', limit: 2, cursor: first.nextCursor })).toEqual(['job_file_1']);
    expect(await ids({ kind: 'live', status: JOB_STATUS_CANCELED })).toEqual([]);
    await expect(harness.list({ kind: 'video' })).rejects.toMatchObject({ code: 'invalid_request' });
    for (const jobId of [...files, 'job_live_1', 'job_live_2']) await harness.cancel(jobId);
  });
});
