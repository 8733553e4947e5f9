import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, NO_ADD_ONS, SAMPLES, startParlance, type Parlance, type TestApi } from '@parlance/testing';

interface UploadAnswer {
  upload_id: string;
  status: string;
  received_bytes: number;
  expires_at: string;
}

let parlance: Parlance;
let api: TestApi;
let sound: Buffer<ArrayBuffer>;

const opened = new AsyncDisposableStack();

beforeAll(async () => {
  sound = await readFile(SAMPLES.reading.path);
  parlance = opened.use(await startParlance({ env: { SPEECH_ENGINE_URL: 'fixture:' } }));
  api = parlance.api;
});
afterAll(() => opened.disposeAsync());

const OPTIONS = { diarization: false, summary: false, highlights: false };
const digestOf = (bytes: Uint8Array) => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;

async function upload(): Promise<UploadAnswer> {
  const response = await api.request('POST', '/uploads?file_name=reading.mp3', { body: sound, headers: { 'content-type': 'audio/mpeg', 'content-digest': digestOf(sound) } });
  expect(response.status).toBe(201);
  return (await response.json()) as UploadAnswer;
}

describe('a file that is uploaded before its jobs are created', () => {
  it('is transcribed by several jobs, also when it is deleted under one of them, and outlives their erasure', async () => {
    const { upload_id: uploadId } = await upload();
    const first = await api.submit({ upload_id: uploadId, ...OPTIONS });
    const erasure = await api.delete(first);
    await eventually('the first job to be erased', async () => (await api.erasure(erasure)).status === 'completed');
    const second = await api.submit({ upload_id: uploadId, ...OPTIONS });
    expect((await api.request('DELETE', `/uploads/${uploadId}`)).status).toBe(204);
    expect(await api.terminal(second)).toMatchObject({ status: 'completed', file_name: 'reading.mp3', media: { size_bytes: sound.length, sha256: createHash('sha256').update(sound).digest('hex') } });
    expect((await api.request('GET', `/uploads/${uploadId}`)).status).toBe(404);
    expect(await (await api.post('/transcriptions', { upload_id: uploadId })).json()).toMatchObject({ status: 422, code: 'upload_not_found' });
    expect(await parlance.media(uploadId)).toEqual([]);
  });

  it('is refused at the door when it is empty or damaged on the way, also with its job at once', async () => {
    const refusal = async (path: string, init: RequestInit) => ((await (await api.request('POST', path, init)).json()) as { code: string }).code;
    const empty = new FormData();
    empty.append('file', new Blob([]), 'empty.mp3');
    for (const [name, value] of Object.entries(NO_ADD_ONS)) empty.append(name, value);
    expect(await refusal('/transcriptions', { body: empty })).toBe('media_empty');
    expect(await refusal('/uploads', { body: new Blob([]) })).toBe('media_empty');
    expect(await refusal('/uploads', { body: sound.subarray(1), headers: { 'content-digest': digestOf(sound) } })).toBe('digest_mismatch');
    expect(await api.json('/uploads?status=uploading')).toEqual({ data: [], next_cursor: null });
  });
});
