import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, NO_ADD_ONS, SAMPLES, type Parlance, type TestApi } from '@parlance/testing';
import { product } from './product.js';

interface UploadAnswer {
  upload_id: string;
  status: string;
  received_bytes: number;
  expires_at: string;
}

let parlance: Parlance;
let api: TestApi;
let sound: Buffer<ArrayBuffer>;

beforeAll(async () => {
  sound = await readFile(SAMPLES.reading.path);
  parlance = await product();
  api = await parlance.newAccount();
});

const OPTIONS = { diarization: false, summary: false, highlights: false };
const digestOf = (bytes: Uint8Array) => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;

async function upload(): Promise<UploadAnswer> {
  const response = await api.request('POST', '/uploads?file_name=reading.mp3', { body: sound, headers: { 'content-type': 'audio/mpeg', 'content-digest': digestOf(sound) } });
  expect(response.status).toBe(201);
  return (await response.json()) as UploadAnswer;
}

describe('a file that is uploaded before its jobs are created', () => {
  it('gives them its name, by whose words lists are searched, whatever the case and the accents', async () => {
    const named = async (name: string) => {
      const response = await api.request('POST', `/uploads?file_name=${encodeURIComponent(name)}`, { body: sound, headers: { 'content-type': 'audio/mpeg' } });
      return api.submit({ upload_id: ((await response.json()) as UploadAnswer).upload_id, ...OPTIONS });
    };
    const [cafe, board] = [await named('Übersicht Café 2026.mp3'), await named('Board meeting 2026.mp3')];
    const found = async (q: string) => (await api.json<{ data: { job_id: string }[] }>(`/transcriptions?q=${encodeURIComponent(q)}`)).data.map(({ job_id: id }) => id);
    expect(await found('2026')).toEqual([board, cafe]);
    expect(await found('CAFE ubers')).toEqual([cafe]);
    expect(await found('board cafe')).toEqual([]);
    expect(await found('eeting')).toEqual([]);
    await api.delete(cafe);
    expect(await found('2026')).toEqual([board]);
  });

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

/** Noise in a WAV file: 192 kB a second. */
function noise(bytes: number): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(44);
  header.write('RIFF');
  header.writeUInt32LE(36 + bytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(2, 22);
  header.writeUInt32LE(48_000, 24);
  header.writeUInt32LE(192_000, 28);
  header.writeUInt16LE(4, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(bytes, 40);
  return Buffer.concat([header, randomBytes(bytes)]);
}

const MEGABYTE = 1024 * 1024;
const TUS = { 'tus-resumable': '1.0.0' };

describe('an upload that was cut', () => {
  const begin = async (bytes: number) => {
    const response = await api.request('POST', '/uploads', { headers: { ...TUS, 'upload-length': String(bytes), 'upload-metadata': `filename ${Buffer.from('noise.wav').toString('base64')}` } });
    expect(response.status).toBe(201);
    return ((await response.json()) as UploadAnswer).upload_id;
  };
  const piece = (uploadId: string, offset: number, body: NonNullable<RequestInit['body']>) =>
    api.request('PATCH', `/uploads/${uploadId}`, { body, duplex: 'half', headers: { ...TUS, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' } } as RequestInit);
  const offsetOf = async (uploadId: string) => Number((await api.request('HEAD', `/uploads/${uploadId}`, { headers: TUS })).headers.get('upload-offset'));

  it('by kill -9 goes on from what it was told is there, over any server, and is whole', async () => {
    const recording = noise(24 * MEGABYTE);
    const uploadId = await begin(recording.length);
    const body = new TransformStream<Uint8Array, Uint8Array>();
    const writer = body.writable.getWriter();
    const cut = piece(uploadId, 0, body.readable).catch(() => undefined);
    for (let at = 0; at < 20 * MEGABYTE; at += MEGABYTE) await writer.write(recording.subarray(at, at + MEGABYTE));
    let seen = 0;
    await eventually('two pieces to be durable', async () => (seen = (await api.json<UploadAnswer>(`/uploads/${uploadId}`)).received_bytes) >= 16 * MEGABYTE);
    await parlance.kill();
    await Promise.all([cut, writer.abort().catch(() => undefined)]);
    await parlance.restart();
    api = parlance.api.as(api.apiKey);
    let offset = await offsetOf(uploadId);
    expect(offset).toBeGreaterThanOrEqual(seen);
    while (offset < recording.length) {
      const answer = await piece(uploadId, offset, recording.subarray(offset, offset + 3 * MEGABYTE));
      expect(answer.status).toBe(204);
      offset = Number(answer.headers.get('upload-offset'));
    }
    const job = await api.terminal(await api.submit({ upload_id: uploadId, ...OPTIONS }));
    expect(job).toMatchObject({ status: 'completed', file_name: 'noise.wav', media: { size_bytes: recording.length, sha256: createHash('sha256').update(recording).digest('hex') } });
    expect(await parlance.media(uploadId)).toEqual(['source']);
  });

  it('and is deleted leaves nothing behind', async () => {
    const uploadId = await begin(sound.length);
    expect((await piece(uploadId, 0, sound.subarray(0, 10_000))).status).toBe(204);
    expect((await api.request('DELETE', `/uploads/${uploadId}`, { headers: TUS })).status).toBe(204);
    expect(await parlance.media(uploadId)).toEqual([]);
  });
});
