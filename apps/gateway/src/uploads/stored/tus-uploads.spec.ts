import { createHash, randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, filesBelow } from '@parlance/testing';
import * as tus from 'tus-js-client';
import { GatewayHarness } from '../../../test/gateway-harness.js';

const MAX_BYTES = 30_000_000;
const sound = randomBytes(1_000_000);
const TUS = { 'tus-resumable': '1.0.0' };
const PIECE = { ...TUS, 'content-type': 'application/offset+octet-stream' };

interface UploadBody {
  upload_id: string;
  status: string;
  received_bytes: number;
  [name: string]: unknown;
}

describe('a resumable upload', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ MEDIA_MAX_BYTES: String(MAX_BYTES) });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const stored = () => filesBelow(join(gateway.process.dataFolder, 'media'));
  const filesOf = async (path: string) => (await stored()).filter((file) => file.includes(path.split('/').at(-1) ?? ''));
  const storedBytes = async (path: string) => (await Promise.all((await filesOf(path)).map((file) => stat(file)))).reduce((sum, { size }) => sum + size, 0);
  const call = (method: string, path: string, headers: Record<string, string>, body?: Uint8Array) =>
    gateway.call<UploadBody & { code: string }>(method, path, { headers, ...(body && { body: new Uint8Array(body) }) });
  const begin = async (length = sound.length) => {
    const { status, headers } = await call('POST', '/uploads', { ...TUS, 'upload-length': String(length), 'upload-metadata': `filename ${Buffer.from('meeting.wav').toString('base64')}` });
    expect(status).toBe(201);
    return String(headers.get('location')).replace('/api/v1', '');
  };
  const append = (path: string, offset: number, bytes: Uint8Array, headers: Record<string, string> = {}) => call('PATCH', path, { ...PIECE, 'upload-offset': String(offset), ...headers }, bytes);
  const offsetOf = async (path: string) => Number((await call('HEAD', path, TUS)).headers.get('upload-offset'));

  const byClient = (options: Partial<tus.UploadOptions>) =>
    new Promise<string>((resolve, reject) => {
      const upload = new tus.Upload(sound, {
        endpoint: `${gateway.url}/api/v1/uploads`,
        headers: { authorization: `Bearer ${gateway.apiKey}` },
        metadata: { filename: 'meeting.wav', filetype: 'audio/wav' },
        onSuccess: () => resolve(String(upload.url).slice(-30)),
        onError: reject,
        ...options,
      });
      upload.start();
    });

  it.each<[string, Partial<tus.UploadOptions>]>([
    ['at once', {}],
    ['in pieces', { chunkSize: 300_000 }],
    ['with its first bytes in the request that begins it', { chunkSize: 300_000, uploadDataDuringCreation: true }],
  ])('is made by a client of the protocol, %s', async (_, options) => {
    const id = await byClient(options);
    expect((await gateway.call('GET', `/uploads/${id}`)).body).toMatchObject({ status: 'completed', file_name: 'meeting.wav', size_bytes: sound.length, received_bytes: sound.length });
    expect((await gateway.call('POST', '/transcriptions', { json: { upload_id: id } })).status).toBe(202);
    expect(gateway.services.created.at(-1)?.source).toMatchObject({ $case: 'upload', value: { sizeBytes: sound.length, fileName: 'meeting.wav' } });
    expect((await stored()).filter((file) => file.includes(id))).toEqual([expect.stringMatching(/source$/)]);
  });

  it('says what it can do, and how far it is', async () => {
    const options = await gateway.fetch('/api/v1/uploads', { method: 'OPTIONS' });
    expect(Object.fromEntries(['tus-version', 'tus-extension', 'tus-checksum-algorithm'].map((name) => [name, options.headers.get(name)]))).toEqual({
      'tus-version': '1.0.0',
      'tus-extension': 'creation,creation-with-upload,termination,expiration,checksum',
      'tus-checksum-algorithm': 'sha1,sha256,sha512',
    });
    const path = await begin();
    const first = await append(path, 0, sound.subarray(0, 600_000));
    expect([first.status, first.headers.get('upload-offset'), first.headers.get('tus-resumable'), Date.parse(String(first.headers.get('upload-expires'))) > Date.now()]).toEqual([204, '600000', '1.0.0', true]);
    const head = await call('HEAD', path, TUS);
    expect([head.status, head.headers.get('upload-offset'), head.headers.get('upload-length'), head.headers.get('cache-control')]).toEqual([200, '600000', String(sound.length), 'no-store']);
    expect((await gateway.call('GET', path)).body).toMatchObject({ status: 'uploading', received_bytes: 600_000 });
    expect(await gateway.call('POST', '/transcriptions', { json: { upload_id: path.split('/').at(-1) } })).toMatchObject({ status: 409, body: { code: 'upload_incomplete', retryable: true } });
    const last = await append(path, 600_000, sound.subarray(600_000));
    expect([last.status, last.headers.get('upload-offset'), last.headers.get('upload-expires')]).toEqual([204, String(sound.length), null]);
    expect(await offsetOf(path)).toBe(sound.length);
  });

  it('refuses bytes from another offset, beyond its length, of another type or version, and keeps what it has', async () => {
    const path = await begin(20);
    await append(path, 0, sound.subarray(0, 10));
    expect(await append(path, 5, sound.subarray(5, 15))).toMatchObject({ status: 409, body: { code: 'upload_offset_mismatch', retryable: true } });
    expect(await append(path, 10, sound.subarray(0, 11))).toMatchObject({ status: 413, body: { code: 'media_too_large' } });
    expect(await append(path, 10, sound.subarray(0, 1), { 'content-type': 'audio/mpeg' })).toMatchObject({ status: 415 });
    expect(await append(path, 10, sound.subarray(0, 1), { 'tus-resumable': '0.2.2' })).toMatchObject({ status: 412, body: { code: 'protocol_version' } });
    expect(await call('PATCH', path, PIECE, sound.subarray(0, 1))).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
    expect(await offsetOf(path)).toBe(10);
  });

  it('refuses a length that cannot be', async () => {
    const create = async (headers: Record<string, string>) => (await call('POST', '/uploads', { ...TUS, ...headers })).body.code;
    expect(await create({ 'upload-length': '0' })).toBe('media_empty');
    expect(await create({ 'upload-length': String(MAX_BYTES + 1) })).toBe('media_too_large');
    expect(await create({ 'upload-length': '-1' })).toBe('malformed_request');
    expect(await create({})).toBe('malformed_request');
    expect(await create({ 'upload-defer-length': '1' })).toBe('not_supported');
  });

  it('discards a piece with another checksum', async () => {
    const path = await begin();
    const checksum = (bytes: Uint8Array, algorithm = 'sha1') => ({ 'upload-checksum': `${algorithm} ${createHash(algorithm).update(bytes).digest('base64')}` });
    const [first, rest] = [sound.subarray(0, 400_000), sound.subarray(400_000)];
    expect((await append(path, 0, first, checksum(first))).status).toBe(204);
    expect(await append(path, 400_000, rest, checksum(first))).toMatchObject({ status: 460, body: { code: 'checksum_mismatch' } });
    expect(await storedBytes(path)).toBe(400_000);
    expect(await append(path, 400_000, rest, { 'upload-checksum': 'crc32 AAAA' })).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
    expect(await offsetOf(path)).toBe(400_000);
    expect((await append(path, 400_000, rest, checksum(rest, 'sha256'))).status).toBe(204);
    expect((await gateway.call('GET', path)).body).toMatchObject({ status: 'completed' });
  });

  it('keeps what arrived before its connection broke, and goes on from there', async () => {
    const path = await begin();
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.write(`PATCH /api/v1${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.apiKey}\r\ntus-resumable: 1.0.0\r\nupload-offset: 0\r\ncontent-type: application/offset+octet-stream\r\ncontent-length: ${sound.length}\r\n\r\n`);
    socket.write(sound.subarray(0, 700_000));
    await eventually('bytes to be stored', async () => (await storedBytes(path)) > 0);
    socket.destroy();
    let offset = 0;
    await eventually('the bytes to be kept', async () => (offset = await offsetOf(path)) > 0);
    await append(path, offset, sound.subarray(offset));
    expect((await gateway.call('GET', path)).body).toMatchObject({ status: 'completed' });
  });

  it('belongs to the latest request: one that hangs is ended, and its bytes are kept', async () => {
    const path = await begin();
    const body = new TransformStream<Uint8Array, Uint8Array>();
    const writer = body.writable.getWriter();
    const hanging = gateway.fetch(`/api/v1${path}`, { method: 'PATCH', body: body.readable, duplex: 'half', headers: { ...PIECE, 'upload-offset': '0' } } as RequestInit).catch(() => undefined);
    await writer.write(sound.subarray(0, 500_000));
    // Asking for the offset ends the request: what the socket still holds then is not kept.
    await eventually('the bytes to be stored', async () => (await storedBytes(path)) === 500_000);
    expect(await offsetOf(path)).toBe(500_000);
    await append(path, 500_000, sound.subarray(500_000));
    await writer.close().catch(() => undefined);
    await hanging;
    expect((await gateway.call('GET', path)).body).toMatchObject({ status: 'completed' });
  });

  it('is not found by other accounts, and gone once it is deleted', async () => {
    const path = await begin();
    await append(path, 0, sound.subarray(0, 10));
    const other = gateway.as((await gateway.createAccount()).apiKey);
    for (const [method, headers] of [['HEAD', TUS], ['PATCH', { ...PIECE, 'upload-offset': '10' }], ['DELETE', TUS]] as const) expect((await other.call(method, path, { headers })).status).toBe(404);
    const deleted = await call('DELETE', path, TUS);
    expect([deleted.status, deleted.headers.get('tus-resumable')]).toEqual([204, '1.0.0']);
    expect((await append(path, 10, sound.subarray(10))).status).toBe(404);
    expect((await call('HEAD', path, TUS)).status).toBe(404);
    expect((await stored()).filter((file) => file.includes(path.split('/').at(-1) ?? ''))).toEqual([]);
  });

  it('counts as stored while it is on its way', async () => {
    const own = gateway.as((await gateway.createAccount()).apiKey);
    const { headers } = await own.call('POST', '/uploads', { headers: { ...TUS, 'upload-length': '1000' } });
    await own.call('PATCH', String(headers.get('location')).replace('/api/v1', ''), { body: new Uint8Array(400), headers: { ...PIECE, 'upload-offset': '0' } });
    await eventually('the bytes to count', async () => (await own.call<{ storage_bytes_used: number }>('GET', '/account')).body.storage_bytes_used === 400);
  });
});
