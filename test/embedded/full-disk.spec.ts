import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, fillDisk, freeDiskBytes, MediaFiles, MediaServer, NO_ADD_ONS, ParlanceProcess, relieveDisk, SAMPLES, silence, SpeechServer, type Problem, type TestApi } from '@parlance/testing';
import { nothingLeft } from '../system/nothing-left.js';

const DISK_MEGABYTES = 32;
const MEGABYTE = 1024 * 1024;
/** What the media store leaves of such a disk. */
const RESERVE_BYTES = (DISK_MEGABYTES / 8) * MEGABYTE;
const SETTINGS = { SPEECH_ENGINE_URL: 'fixture:?delayMs=300', CHUNK_IDEAL_SECONDS: '5', CHUNK_MAX_SECONDS: '10' };

let parlance: ParlanceProcess;
let files: MediaFiles;
let media: MediaServer;
let api: TestApi;
let earlier: string;

const opened = new AsyncDisposableStack();

beforeAll(async () => {
  files = opened.use(await MediaFiles.create());
  media = opened.use(await MediaServer.start());
  parlance = opened.use(await ParlanceProcess.start({ diskMegabytes: DISK_MEGABYTES, env: SETTINGS }));
  api = parlance.api;
  earlier = await api.upload(SAMPLES.reading.path, NO_ADD_ONS);
  await api.terminal(earlier);
});
afterAll(() => opened.disposeAsync());

const freeBytes = () => freeDiskBytes(parlance.dataFolder);
const fill = (leaveBytes: number, of = parlance) => fillDisk(of.dataFolder, leaveBytes);

/** Tries that count. In an outage none does. */
const INGEST_TRIES = 3;
const CHUNK_TRIES = 5;
/** Tries of events and of tasks that wait for an outage to end. */
const outages = async (code: string, of = parlance) => {
  const metrics = await of.metrics();
  return metrics.total(`parlance_event_outages_total{code="${code}"}`) + metrics.total(`parlance_task_outages_total{code="${code}"}`);
};
const logSize = () => statSync(join(parlance.dataFolder, 'parlance.log')).size;
const makeRoom = (of = parlance) => relieveDisk(of.dataFolder);

async function staysUp(): Promise<void> {
  expect((await fetch(`${api.url}/health/live`)).status).toBe(200);
  const job = await api.job(earlier);
  expect([job.status, job.transcript?.segments.length]).toEqual(['completed', expect.any(Number)]);
  expect(await api.transcript(earlier, 'srt')).toContain('-->');
}

describe('on a disk that is full', () => {
  it('an upload that does not fit is refused by name, and leaves nothing', async () => {
    const before = await freeBytes();
    const large = await files.write('large.wav', Buffer.alloc((DISK_MEGABYTES + 8) * MEGABYTE, 1));
    const response = await api.tryUpload(large);
    expect(response.status).toBe(503);
    expect((await response.json()) as Problem).toMatchObject({ code: 'storage_full', retryable: true });
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    await eventually('the room to be there again', async () => before - (await freeBytes()) < MEGABYTE);
    await staysUp();
    const { data } = await api.json<{ data: unknown[] }>('/transcriptions');
    expect(data).toHaveLength(1);
  });

  it('a job that does not fit while it is decoded waits, and completes by itself once there is room', async () => {
    // Two minutes of audio are 4 MB decoded, and as much again in chunks.
    await fill(RESERVE_BYTES + 2 * MEGABYTE);
    const jobId = await api.upload(await files.make('long.flac', ...silence(120)), NO_ADD_ONS);
    await eventually('more tries than an event has', async () => (await outages('storage_full')) > INGEST_TRIES);
    expect((await api.job(jobId)).status).toMatch(/^(queued|processing)$/);
    await staysUp();
    await makeRoom();
    expect((await api.terminal(jobId)).status).toBe('completed');
    await nothingLeft(parlance);
    await api.delete(jobId);
  });

  it('what uploads have filled can be deleted', async () => {
    const uploaded: string[] = [];
    for (let bytes = 8 * MEGABYTE; bytes >= 4096; bytes /= 2) {
      const file = await files.write(`${bytes}.wav`, Buffer.alloc(bytes, 1));
      for (;;) {
        const response = await api.tryUpload(file);
        if (response.status !== 202) break;
        uploaded.push(((await response.json()) as { job_id: string }).job_id);
      }
    }
    expect(uploaded.length).toBeGreaterThan(1);
    for (const jobId of uploaded) await api.delete(jobId);
    await eventually('the room to be there again', async () => (await freeBytes()) > (DISK_MEGABYTES / 2) * MEGABYTE);
  });

  it('nothing is accepted that cannot be kept, everything earlier can be read', async () => {
    const accepted: string[] = [];
    // The databases' logs have some room of their own, and what an earlier job had may be given back just now.
    const refusalOf = async (ask: () => Promise<Response>): Promise<Response> => {
      for (;;) {
        await fill(0);
        const response = await ask();
        if (response.status !== 202) return response;
        accepted.push(((await response.json()) as { job_id: string }).job_id);
      }
    };
    for (const ask of [() => api.tryUpload(SAMPLES.reading.path, NO_ADD_ONS), () => api.post('/transcriptions', { audio_url: media.url('/not-there') })]) {
      const response = await refusalOf(ask);
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ code: 'storage_full', retryable: true });
    }
    await staysUp();
    await makeRoom();
    const jobId = await api.upload(SAMPLES.reading.path, NO_ADD_ONS);
    expect((await api.terminal(jobId)).status).toBe('completed');
    for (const each of accepted) {
      const { status, error } = await api.terminal(each);
      expect(error?.code ?? status).toMatch(/^(completed|media_unreachable)$/);
    }
  });

  it('a job at work is not lost: it ends once there is room', async () => {
    // What a process with a full disk says has room elsewhere.
    const log = files.path('parlance.log');
    // The first chunk is not done before the disk is full.
    const isFull = Promise.withResolvers<void>();
    await using server = await SpeechServer.start(() => isFull.promise.then(() => 'The plan is ready.'));
    await using crowded = await ParlanceProcess.start({ diskMegabytes: DISK_MEGABYTES, env: { ...SETTINGS, SPEECH_ENGINE_URL: server.url, LOG_FILE: log } });
    const jobId = await crowded.api.upload(SAMPLES.meeting.path);
    await eventually('the first chunk', async () => (await crowded.api.job(jobId)).stages.transcription?.status === 'running');
    await fill(0, crowded);
    isFull.resolve();
    // An event is tried again; a task keeps its lease until its end can be stored.
    const heldUp = async () => (await readFile(log, 'utf8')).split(/handling an event failed|the end of a task could not be stored/).length - 1;
    await eventually('more tries than a task has', async () => (await heldUp()) > CHUNK_TRIES);
    await staysUp();
    // Nothing was indexed yet: there is no index, and no room for one.
    const searched = await crowded.api.request('GET', '/search?q=anything');
    expect([searched.status, ((await searched.json()) as Problem).code]).toEqual([503, 'storage_full']);
    await makeRoom(crowded);
    const job = await crowded.api.terminal(jobId);
    expect(job).toMatchObject({ status: 'completed', transcript: { text: expect.stringMatching(/\w/) } });
    expect((await crowded.metrics()).total('parlance_dead_letters_total')).toBe(0);
    await nothingLeft(crowded);
  });

  it('what was read meanwhile is in the audit log once there is room', async () => {
    await fill(0);
    const response = await api.request('GET', `/transcriptions/${earlier}`);
    expect(response.status).toBe(200);
    await makeRoom();
    const id = response.headers.get('x-request-id');
    await eventually('its record', async () => (await api.json<{ data: { request_id: string }[] }>(`/audit?limit=100&resource=${earlier}`)).data.some((record) => record.request_id === id));
  });

  it('the process still ends when it is told to', async () => {
    await api.upload(SAMPLES.meeting.path);
    await fill(0);
    await eventually('even the log to have no room', async () => {
      const before = logSize();
      await api.request('GET', '/nothing');
      return logSize() === before;
    });
    expect(await parlance.stop()).toBe(0);
  });
});
