import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError, silentLogger, ulidGenerator } from '@parlance/platform';
import { eventually, filesBelow } from '@parlance/testing';
import { DocumentKeyRecords, openVerifiedProvider, SealedDocumentDatabase, WrappedDataKeys } from '@parlance/storage';
import { GatewayHarness } from '../../../test/gateway-harness.js';
import { StorageFolder } from '../../../test/storage-folder.js';
import { uploadCollection } from './upload.js';
import { uploadKey, UploadRecords } from './upload-records.js';

const MAX_BYTES = 100_000;
const sound = Buffer.from('RIFF'.repeat(1000));
const sha256 = createHash('sha256').update(sound).digest('hex');
const digest = `sha-256=:${createHash('sha256').update(sound).digest('base64')}:`;

const noMedia = () => Promise.reject(new Error('not used'));
const NO_MEDIA = { begin: noMedia, finish: noMedia };

interface UploadBody {
  upload_id: string;
  code: string;
  [name: string]: unknown;
}

describe('an uploaded file', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ MEDIA_MAX_BYTES: String(MAX_BYTES) });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const send = (body: Uint8Array, headers: Record<string, string> = {}, query = '') =>
    gateway.call<UploadBody>('POST', `/uploads${query}`, { body: new Uint8Array(body), headers: { 'content-type': 'audio/mpeg', ...headers } });
  const stored = () => filesBelow(join(gateway.process.dataFolder, 'media'));
  const leavesNothing = async (work: () => Promise<unknown>) => {
    const before = await stored();
    await work();
    await eventually('the media store to be as before', async () => (await stored()).every((file) => before.includes(file)));
  };
  const create = (json: object, headers: Record<string, string> = {}) => gateway.call<{ job_id: string; code: string }>('POST', '/transcriptions', { json, headers });

  it('is an upload with its size and digest, whatever its media type, and can be read, listed and deleted', async () => {
    const { status, headers, body } = await send(sound, { 'content-type': 'video/x-matroska' }, '?file_name=..%2Fmeeting.mkv');
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/api/v1/uploads/${body.upload_id}`);
    const { created_at, completed_at, expires_at, ...rest } = body;
    expect(rest).toEqual({ upload_id: expect.stringMatching(/^upl_/), status: 'completed', file_name: 'meeting.mkv', size_bytes: sound.length, received_bytes: sound.length, sha256 });
    expect(Date.parse(String(expires_at)) - Date.parse(String(completed_at))).toBe(24 * 3_600_000);
    expect(Date.parse(String(created_at))).toBeLessThanOrEqual(Date.parse(String(completed_at)));
    expect((await gateway.call('GET', `/uploads/${body.upload_id}`)).body).toEqual(body);
    expect((await gateway.call<{ data: UploadBody[] }>('GET', '/uploads?limit=1&status=completed')).body.data).toEqual([body]);
    expect((await gateway.call('DELETE', `/uploads/${body.upload_id}`)).status).toBe(204);
    expect(await gateway.call('GET', `/uploads/${body.upload_id}`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await stored()).filter((file) => file.includes(body.upload_id))).toEqual([]);
  });

  it('may come as the file of a form', async () => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(sound)]), 'meeting.wav');
    expect(await gateway.call('POST', '/uploads', { body: form })).toMatchObject({ status: 201, body: { file_name: 'meeting.wav', sha256 } });
    form.append('language', 'en');
    await leavesNothing(async () => expect(await gateway.call('POST', '/uploads', { body: form })).toMatchObject({ status: 422, body: { code: 'unknown_field', errors: [{ pointer: '/language' }] } }));
  });

  it('is checked against the digest that its request states', async () => {
    expect((await send(sound, { 'content-digest': digest })).status).toBe(201);
    expect((await send(sound, { 'repr-digest': digest })).status).toBe(201);
    await leavesNothing(async () => {
      expect(await send(sound.subarray(1), { 'content-digest': digest })).toMatchObject({ status: 422, body: { code: 'digest_mismatch' } });
      expect(await send(sound, { 'content-digest': 'sha-256=broken' })).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
    });
  });

  it('is refused when it is empty, too large, or JSON, and leaves nothing', () =>
    leavesNothing(async () => {
      const empty = new ReadableStream({ start: (controller) => controller.close() });
      expect(await send(Buffer.alloc(0))).toMatchObject({ status: 422, body: { code: 'media_empty' } });
      expect(await gateway.call('POST', '/uploads', { body: empty, duplex: 'half' } as RequestInit)).toMatchObject({ status: 422, body: { code: 'media_empty' } });
      expect(await send(Buffer.alloc(MAX_BYTES + 1))).toMatchObject({ status: 413, body: { code: 'media_too_large' } });
      expect(await send(sound, { 'content-type': 'application/json' })).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
      expect(await send(sound, {}, '?name=x')).toMatchObject({ status: 422, body: { code: 'unknown_field' } });
    }));

  it('is empty is told of at the door also where a job is created from it at once', () =>
    leavesNothing(async () => {
      const form = new FormData();
      form.append('file', new Blob([]), 'meeting.wav');
      expect(await gateway.call('POST', '/transcriptions', { body: form })).toMatchObject({ status: 422, body: { code: 'media_empty', retryable: false } });
    }));

  it('whose client goes away leaves nothing', () =>
    leavesNothing(async () => {
      const files = await stored();
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
      socket.write(`POST /api/v1/uploads HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.apiKey}\r\ncontent-length: 90000\r\n\r\n${'x'.repeat(20_000)}`);
      await eventually('the upload to begin', async () => (await stored()).some((file) => !files.includes(file)));
      expect((await gateway.call('GET', '/uploads?status=uploading')).body).toMatchObject({ data: [{ status: 'uploading', size_bytes: 90_000 }] });
      socket.destroy();
      await eventually('the upload to be gone', async () => (await gateway.call<{ data: unknown[] }>('GET', '/uploads?status=uploading')).body.data.length === 0);
    }));

  it('is not found by other accounts, nor can their jobs be created from it', async () => {
    const { body } = await send(sound);
    const other = gateway.as((await gateway.createAccount()).apiKey);
    expect((await other.call('GET', `/uploads/${body.upload_id}`)).status).toBe(404);
    expect((await other.call('DELETE', `/uploads/${body.upload_id}`)).status).toBe(404);
    expect((await other.call<{ data: unknown[] }>('GET', '/uploads')).body.data).toEqual([]);
    expect(await other.call('POST', '/transcriptions', { json: { upload_id: body.upload_id } })).toMatchObject({ status: 422, body: { code: 'upload_not_found', errors: [{ pointer: '/upload_id' }] } });
  });

  it('is named by a job of several files, with the participant of each', async () => {
    const ids = [(await send(sound)).body.upload_id, (await send(sound)).body.upload_id];
    const created = await create({ files: [{ upload_id: ids[0], speaker: 'Ada' }, { upload_id: ids[1] }] });
    const job = await gateway.call('GET', `/transcriptions/${created.body.job_id}`);
    expect(job.body).toMatchObject({ files: [{ upload_id: ids[0], speaker: 'Ada' }, { upload_id: ids[1], speaker: 'Speaker 2' }] });
    expect(job.body).not.toHaveProperty('upload_id');
  });

  it('becomes the media of several jobs, which keep theirs when it is deleted', async () => {
    const { body } = await send(sound, {}, '?file_name=meeting.mp3');
    const jobIds = [];
    for (const language of ['en', 'en-GB']) {
      const created = await create({ upload_id: body.upload_id, language });
      expect(created.status).toBe(202);
      const jobId = created.body.job_id;
      const mediaKey = `${gateway.accountId}/${jobId}/source`;
      expect(gateway.services.created.at(-1)).toMatchObject({ jobId, source: { $case: 'upload', value: { mediaKey, sizeBytes: sound.length, sha256, fileName: 'meeting.mp3', uploadIds: [body.upload_id] } }, options: { language } });
      expect(await gateway.call('GET', `/transcriptions/${jobId}`)).toMatchObject({ body: { upload_id: body.upload_id } });
      jobIds.push(jobId);
    }
    await gateway.call('DELETE', `/uploads/${body.upload_id}`);
    const files = await stored();
    for (const jobId of jobIds) expect(files.filter((file) => file.includes(jobId))).toHaveLength(1);
    expect(await create({ upload_id: body.upload_id })).toMatchObject({ status: 422, body: { code: 'upload_not_found' } });
  });

  it('makes one job under an Idempotency-Key', async () => {
    const { body } = await send(sound);
    const again = () => create({ upload_id: body.upload_id }, { 'idempotency-key': 'upload-1' });
    const [first, second] = [await again(), await again()];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await create({ upload_id: body.upload_id, language: 'en' }, { 'idempotency-key': 'upload-1' })).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
  });

  it('may be named in a form, and beside no other media', async () => {
    const { body } = await send(sound);
    const form = new FormData();
    form.append('upload_id', body.upload_id);
    expect((await gateway.call('POST', '/transcriptions', { body: form })).status).toBe(202);
    expect(gateway.services.created.at(-1)?.source).toMatchObject({ $case: 'upload', value: { sha256 } });
    form.append('file', new Blob([new Uint8Array(sound)]), 'meeting.wav');
    expect(await gateway.call('POST', '/transcriptions', { body: form })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/upload_id', code: 'invalid_value' }] } });
    expect(await create({ upload_id: body.upload_id, audio_url: 'https://example.org/a.mp3' })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/upload_id', code: 'invalid_value' }] } });
    expect(await create({})).toMatchObject({ status: 422, body: { errors: [{ pointer: '/audio_url', code: 'required' }] } });
  });

  it('whose job is refused leaves nothing but the upload', async () => {
    const { body } = await send(sound);
    await leavesNothing(async () => {
      gateway.services.beforeCreate = () => Promise.reject(new AppError({ kind: 'conflict', code: 'invalid_state', message: 'no' }));
      expect((await create({ upload_id: body.upload_id })).status).toBe(409);
      gateway.services.beforeCreate = async () => {};
    });
    expect((await create({ upload_id: body.upload_id })).status).toBe(202);
  });

  it('is not sent to a bucket where there is none', async () => {
    expect(await gateway.call('POST', '/direct-uploads', { json: { size_bytes: 10 } })).toMatchObject({ status: 422, body: { code: 'not_supported' } });
    const { body } = await send(sound);
    expect(await gateway.call('POST', `/uploads/${body.upload_id}/complete`)).toMatchObject({ status: 200, body: { status: 'completed' } });
  });

  it('counts as stored by the account until it is deleted', async () => {
    const own = gateway.as((await gateway.createAccount()).apiKey);
    const used = async () => (await own.call<{ storage_bytes_used: number }>('GET', '/account')).body.storage_bytes_used;
    const { body } = await own.call<UploadBody>('POST', '/uploads', { body: new Uint8Array(sound) });
    expect(await used()).toBe(sound.length);
    await own.call('DELETE', `/uploads/${body.upload_id}`);
    await eventually('the bytes to be free', async () => (await used()) === 0);
  });
});

describe('an unused upload', () => {
  const open = async () => {
    const storage = await StorageFolder.open();
    const records = new UploadRecords(storage.documents, storage.media, null, storage.clock, ulidGenerator(), { UPLOAD_EXPIRY_HOURS: 1 }, silentLogger());
    async function* bytes() {
      yield new Uint8Array(sound);
    }
    const upload = async () => {
      const begun = await records.begin('acc_1', { fileName: 'a.mp3' });
      await storage.media.put(uploadKey(begun), bytes());
      return begun;
    };
    return { storage, records, upload, complete: async () => records.complete((await upload()).id, { sizeBytes: sound.length, sha256 }, undefined) };
  };

  it('is removed once it expired, and later when a job was created from it', async () => {
    const { storage, records, complete } = await open();
    await using _ = storage;
    const [unused, used] = [await complete(), await complete()];
    storage.after(1_800_000);
    await records.used(used.id);
    storage.after(1_800_001);
    await records.sweep();
    await expect(records.get('acc_1', unused.id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await storage.keys()).toEqual([uploadKey(used)]);
    storage.after(1_800_000);
    await records.sweep();
    expect(await storage.keys()).toEqual([]);
  });

  it('is removed a minute after its process was killed while it arrived', async () => {
    const { storage, records, upload } = await open();
    await using _ = storage;
    const begun = await upload();
    await records.sweep();
    expect(await storage.keys()).toHaveLength(1);
    storage.after(60_001);
    await records.sweep();
    expect(await storage.keys()).toEqual([]);
    await expect(records.renew(begun.id, 1)).rejects.toMatchObject({ code: 'not_found' });
    await expect(records.complete(begun.id, { sizeBytes: 1, sha256 }, undefined)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('whose removal was interrupted is removed by a later sweep', async () => {
    const { storage, records, complete } = await open();
    await using _ = storage;
    const { id } = await complete();
    const failing = new UploadRecords(storage.documents, { ...NO_MEDIA, removePrefix: () => Promise.reject(new Error('killed')) }, null, storage.clock, ulidGenerator(), { UPLOAD_EXPIRY_HOURS: 1 }, silentLogger());
    await failing.discard(id);
    await expect(records.get('acc_1', id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(records.completed('acc_1', id)).rejects.toMatchObject({ code: 'upload_not_found' });
    storage.after(600_001);
    await records.sweep();
    expect(await storage.keys()).toEqual([]);
  });

  it('loses its key with its file, though the removal was interrupted', async () => {
    const { storage } = await open();
    await using _ = storage;
    const records = new DocumentKeyRecords(storage.documents, storage.clock);
    const provider = await openVerifiedProvider({ setting: `local:${join(storage.folder, 'master-keys')}`, records, create: true });
    const keys = new WrappedDataKeys({ records, provider, clock: storage.clock });
    const documents = new SealedDocumentDatabase(storage.documents, 'gateway', keys);
    const withMedia = (media: typeof storage.media) => new UploadRecords(documents, media, keys, storage.clock, ulidGenerator(), { UPLOAD_EXPIRY_HOURS: 1 }, silentLogger());
    const uploads = withMedia(storage.media);
    const { id } = await uploads.begin('acc_1', { fileName: 'a.mp3' });
    await withMedia({ ...storage.media, removePrefix: () => Promise.reject(new Error('killed')) }).discard(id);
    await expect(keys.find('acc_1', id)).rejects.toMatchObject({ code: 'key_destroyed' });
    storage.after(600_001);
    await uploads.sweep();
    expect((await documents.collection(uploadCollection).find()).items).toEqual([]);
  });
});
