import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, filesBelow, NO_ADD_ONS, ParlanceProcess, SAMPLES, type TestApi } from '@parlance/testing';
import { LiveClient } from '@parlance/testing/live-client';

const TUS = { 'tus-resumable': '1.0.0' };
const NEEDLE_BYTES = 24;

/** Bytes that are found in a store which keeps the audio in clear. */
const needlesOf = (audio: Buffer): Buffer[] => [0.1, 0.3, 0.5, 0.7, 0.9].map((part) => audio.subarray(Math.floor(audio.byteLength * part)).subarray(0, NEEDLE_BYTES));

describe('media with the settings of npm start', () => {
  let data: string;
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'parlance-sealed-media-'));
  });
  afterEach(() => rm(data, { recursive: true, force: true }));

  const start = (env: Record<string, string> = {}) => ParlanceProcess.start({ env: { SPEECH_ENGINE_URL: 'fixture:', ...env }, dataFolder: data });

  /** Files of the media store with their bytes, without those that are moved meanwhile. */
  const stored = async () => {
    const files = await Promise.all((await filesBelow(join(data, 'media'))).map(async (path) => ({ path, bytes: await readFile(path).catch(() => undefined) })));
    return files.flatMap(({ path, bytes }) => (bytes ? [{ path, bytes }] : []));
  };

  const expectSealed = async (audio: Buffer) => {
    const files = await stored();
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter(({ path }) => path.includes('/objects/') && !path.endsWith('-')).map(({ path }) => path)).toEqual([]);
    expect(files.filter(({ bytes }) => needlesOf(audio).some((needle) => bytes.includes(needle))).map(({ path }) => path)).toEqual([]);
  };

  /** Counts of wrapped keys and of tombstones. */
  const keysOf = (holder: string): [number, number] => {
    const keys = new DatabaseSync(join(data, 'documents', 'keys.db'), { readOnly: true });
    const rows = (table: string) => keys.prepare(`SELECT id FROM ${table} WHERE id LIKE ?`).all(`%/${holder}`).length;
    try {
      return [rows('documents_keys'), rows('documents_destroyed_keys')];
    } finally {
      keys.close();
    }
  };

  const erased = async (api: TestApi, jobId: string) => {
    const erasure = await api.delete(jobId);
    await eventually('every service to report', async () => (await api.erasure(erasure)).status === 'completed');
  };

  const append = async (api: TestApi, path: string, offset: number, bytes: Buffer) => {
    const headers = { ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) };
    expect((await api.request('PATCH', path, { headers, body: new Uint8Array(bytes) })).status).toBe(204);
  };

  it('is sealed from an upload over a restart to its clip, and goes with its keys', async () => {
    const file = await readFile(SAMPLES.meeting.path);
    const half = Math.floor(file.byteLength / 2);
    let path: string;
    {
      await using parlance = await start();
      const begun = await parlance.api.request('POST', '/uploads', { headers: { ...TUS, 'upload-length': String(file.byteLength) } });
      expect(begun.status).toBe(201);
      path = String(begun.headers.get('location')).replace(/.*\/api\/v1/, '');
      await append(parlance.api, path, 0, file.subarray(0, half));
      await expectSealed(file);
      await parlance.stop();
    }
    await using parlance = await start();
    const { api } = parlance;
    await append(api, path, half, file.subarray(half));
    const uploadId = path.replace('/uploads/', '');
    const jobId = await api.submit({ upload_id: uploadId });
    expect(await api.terminal(jobId)).toMatchObject({ status: 'completed' });
    await expectSealed(file);

    const part = await api.request('GET', `/transcriptions/${jobId}/media`, { headers: { range: 'bytes=70000-140001' } });
    expect([part.status, Buffer.from(await part.arrayBuffer()).equals(file.subarray(70_000, 140_002))]).toEqual([206, true]);
    const waveform = await api.json<{ max: number[] }>(`/transcriptions/${jobId}/waveform?points=200`);
    expect(Math.max(...waveform.max)).toBeGreaterThan(0.05);
    const clip = await api.request('GET', `/transcriptions/${jobId}/media/clip?start=1&end=3.5&format=ogg`);
    expect([clip.status, Buffer.from(await clip.arrayBuffer()).subarray(0, 4).toString()]).toEqual([200, 'OggS']);

    expect((await api.request('DELETE', path)).status).toBe(204);
    expect([keysOf(uploadId), keysOf(jobId)]).toEqual([[0, 1], [1, 0]]);
    expect((await api.request('GET', `/transcriptions/${jobId}/media`, { headers: { range: 'bytes=0-9' } })).status).toBe(206);
    await erased(api, jobId);
    expect(keysOf(jobId)).toEqual([0, 1]);
    expect(await stored()).toEqual([]);
  });

  it('is sealed for a live session over two connections, and gives its recording back', async () => {
    const pcm = execFileSync('ffmpeg', ['-v', 'error', '-t', '20', '-i', SAMPLES.meeting.path, '-ac', '1', '-ar', '16000', '-f', 's16le', '-'], { maxBuffer: 2 ** 26 });
    await using parlance = await start();
    const { api } = parlance;
    const session = (await (await api.post('/live', { language: 'en', audio: { encoding: 'pcm_s16le', sample_rate: 16_000, channels: 1 } })).json()) as { id: string; url: string; token: string };
    const first = await LiveClient.connect(session.url, session.token);
    first.send(pcm.subarray(0, pcm.byteLength / 2), 6400);
    await first.next('ack', ({ offset }) => offset > 0);
    first.drop();
    await first.closed;
    await expectSealed(pcm);
    const { token } = (await (await api.post(`/live/${session.id}/tokens`, {})).json()) as { token: string };
    const second = await LiveClient.connect(session.url, token);
    second.send(pcm.subarray(second.of('ready')[0]?.acknowledged_offset ?? 0), 6400);
    second.say({ type: 'finish' });
    await second.next('finished');
    expect(await api.terminal(session.id)).toMatchObject({ status: 'completed' });
    await expectSealed(pcm);
    const recording = Buffer.from(await (await api.request('GET', `/transcriptions/${session.id}/media`)).arrayBuffer());
    expect(recording.subarray(-pcm.byteLength).equals(pcm)).toBe(true);
    await erased(api, session.id);
    expect(keysOf(session.id)).toEqual([0, 1]);
  });

  /** Begins an upload and sends the first part. @returns its path, and the rest */
  const halfUploaded = async (api: TestApi, file: Buffer) => {
    const begun = await api.request('POST', '/uploads', { headers: { ...TUS, 'upload-length': String(file.byteLength) } });
    expect(begun.status).toBe(201);
    const path = String(begun.headers.get('location')).replace(/.*\/api\/v1/, '');
    const half = Math.floor(file.byteLength / 2);
    await append(api, path, 0, file.subarray(0, half));
    return { path, finish: (later: TestApi) => append(later, path, half, file.subarray(half)) };
  };

  /** Names of a job's or an upload's objects in the store below, which end in '-' where they are sealed. */
  const storedOf = async (id: string) => (await stored()).flatMap(({ path }) => path.split('/objects/').slice(1)).flatMap((name) => name.split(`/${id}/`).slice(1));

  it.each([
    ['in clear, by a version that sealed none or with off, goes on with sealing', { MEDIA_ENCRYPTION: 'off' }, {}, ['source', 'source-']],
    ['sealed goes on with MEDIA_ENCRYPTION=off, which seals nothing new', {}, { MEDIA_ENCRYPTION: 'off' }, ['source-', 'source']],
  ] as const)('stored %s', async (_, before, after, [olderName, newerName]) => {
    const file = await readFile(SAMPLES.meeting.path);
    const recordingOf = async (api: TestApi, jobId: string) => Buffer.from(await (await api.request('GET', `/transcriptions/${jobId}/media`)).arrayBuffer());
    let older: string;
    let upload: Awaited<ReturnType<typeof halfUploaded>>;
    {
      await using parlance = await start(before);
      older = await parlance.api.upload(SAMPLES.meeting.path, NO_ADD_ONS);
      await parlance.api.terminal(older);
      upload = await halfUploaded(parlance.api, file);
      await parlance.stop();
    }
    expect(await storedOf(older)).toContain(olderName);
    await using parlance = await start(after);
    const { api } = parlance;
    expect((await recordingOf(api, older)).equals(file)).toBe(true);
    const part = await api.request('GET', `/transcriptions/${older}/media`, { headers: { range: 'bytes=70000-140001' } });
    expect([part.status, Buffer.from(await part.arrayBuffer()).equals(file.subarray(70_000, 140_002))]).toEqual([206, true]);
    expect((await api.request('GET', `/transcriptions/${older}/media/clip?start=1&end=3.5&format=ogg`)).status).toBe(200);
    expect((await api.request('GET', `/transcriptions/${older}/waveform?points=200`)).status).toBe(200);
    // The recording is decoded once more.
    expect((await api.post(`/transcriptions/${older}/add-ons`, { diarization: { max_speakers: 2 } })).status).toBe(202);
    await eventually('the speakers', async () => (await api.job(older)).stages.diarization?.status === 'completed');

    await upload.finish(api);
    const jobIds = [await api.upload(SAMPLES.meeting.path, NO_ADD_ONS), await api.submit({ upload_id: upload.path.replace('/uploads/', ''), diarization: false, summary: false, highlights: false })];
    for (const jobId of jobIds) {
      expect(await api.terminal(jobId)).toMatchObject({ status: 'completed' });
      expect((await recordingOf(api, jobId)).equals(file)).toBe(true);
    }
    expect(await storedOf(jobIds[0] ?? '')).toContain(newerName);
    expect(await storedOf(jobIds[1] ?? '')).toContain(olderName);

    await parlance.restart({ MEDIA_ENCRYPTION: 'on' });
    for (const jobId of [older, ...jobIds]) expect((await recordingOf(parlance.api, jobId)).equals(file)).toBe(true);
    expect((await parlance.api.request('DELETE', upload.path)).status).toBe(204);
    for (const jobId of [older, ...jobIds]) await erased(parlance.api, jobId);
    expect((await stored()).map(({ path }) => path)).toEqual([]);
  });
});
