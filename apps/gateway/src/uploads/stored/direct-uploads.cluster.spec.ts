import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger, ulidGenerator } from '@parlance/platform';
import { openMediaStore } from '@parlance/storage';
import { eventually } from '@parlance/testing';
import { GatewayHarness } from '../../../test/gateway-harness.js';
import { StorageFolder } from '../../../test/storage-folder.js';
import { UploadRecords } from './upload-records.js';

const SIZE = 17 * 1024 * 1024;

interface DirectUpload {
  upload_id: string;
  parts: { part_number: number; url: string; size_bytes: number }[];
}

function mediaUrl(): string {
  const { S3_ENDPOINT = '', S3_BUCKET = '', S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = process.env;
  // Where the SDK's default chain looks first.
  process.env['AWS_ACCESS_KEY_ID'] = S3_ACCESS_KEY_ID;
  process.env['AWS_SECRET_ACCESS_KEY'] = S3_SECRET_ACCESS_KEY;
  return `s3://${S3_BUCKET}/t-${randomBytes(6).toString('hex')}?endpoint=${encodeURIComponent(S3_ENDPOINT)}&region=us-east-1&forcePathStyle=true`;
}

describe('an upload straight to the bucket', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ DIRECT_UPLOADS: 'true', MEDIA_URL: mediaUrl() });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const bytes = randomBytes(SIZE);
  const begin = async () => (await gateway.call<DirectUpload>('POST', '/direct-uploads', { json: { size_bytes: SIZE, file_name: 'meeting.wav' } })).body;
  const send = async ({ url, part_number: number, size_bytes: size }: DirectUpload['parts'][number], length = size) => {
    const start = (number - 1) * 16 * 1024 * 1024;
    expect((await fetch(url, { method: 'PUT', body: bytes.subarray(start, start + length) })).status).toBe(200);
  };

  it('is complete when all parts were sent, and becomes the media of a job', async () => {
    const { upload_id: id, parts } = await begin();
    expect(parts.map(({ size_bytes: size }) => size)).toEqual([16 * 1024 * 1024, 1024 * 1024]);
    for (const part of parts) await send(part);
    expect(await gateway.call('POST', `/uploads/${id}/complete`)).toMatchObject({ status: 200, body: { status: 'completed', size_bytes: SIZE, received_bytes: SIZE } });
    expect(await gateway.call('POST', `/uploads/${id}/complete`)).toMatchObject({ status: 200, body: { status: 'completed' } });
    expect((await gateway.call('POST', '/transcriptions', { json: { upload_id: id } })).status).toBe(202);
    expect(gateway.services.created.at(-1)?.source).toMatchObject({ $case: 'upload', value: { sizeBytes: SIZE, fileName: 'meeting.wav' } });
  });

  it('of which a part was never sent, or has another size, is not complete, names it, and leaves nothing once it is deleted', async () => {
    const { upload_id: id, parts } = await begin();
    const [first, last] = parts;
    if (!first || !last) throw new Error('there are two parts');
    await send(first);
    expect(await gateway.call('POST', `/uploads/${id}/complete`)).toMatchObject({ status: 409, body: { code: 'upload_incomplete', detail: expect.stringContaining(': 2.') } });
    await send(last, 10);
    expect(await gateway.call('POST', `/uploads/${id}/complete`)).toMatchObject({ status: 409, body: { code: 'upload_incomplete' } });
    expect(await gateway.call('POST', '/transcriptions', { json: { upload_id: id } })).toMatchObject({ status: 409, body: { code: 'upload_incomplete' } });
    expect((await gateway.call('DELETE', `/uploads/${id}`)).status).toBe(204);
    expect((await fetch(last.url, { method: 'PUT', body: bytes.subarray(0, last.size_bytes) })).status).toBe(404);
    expect((await gateway.call('POST', `/uploads/${id}/complete`)).status).toBe(404);
  });

  it('counts as stored from its beginning, and takes no bytes by tus', async () => {
    const own = gateway.as((await gateway.createAccount()).apiKey);
    const { body } = await own.call<DirectUpload>('POST', '/direct-uploads', { json: { size_bytes: SIZE } });
    await eventually('the bytes to count', async () => (await own.call<{ storage_bytes_used: number }>('GET', '/account')).body.storage_bytes_used === SIZE);
    const headers = { 'tus-resumable': '1.0.0', 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
    expect(await own.call('PATCH', `/uploads/${body.upload_id}`, { headers, body: new Uint8Array(1) })).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    await own.call('DELETE', `/uploads/${body.upload_id}`);
  });

  it('of which a part is never sent is removed once it expired, with the parts that were sent', async () => {
    await using storage = await StorageFolder.open();
    const media = await openMediaStore(mediaUrl());
    const records = new UploadRecords(storage.documents, media, null, storage.clock, ulidGenerator(), { UPLOAD_EXPIRY_HOURS: 1 }, silentLogger());
    const { partial } = await records.beginResumable('acc_1', 'upl_1', { sizeBytes: 10, directPartBytes: 5 });
    if (!partial || !media.direct) throw new Error('there is no upload to the bucket');
    const [first = '', second = ''] = await media.direct.urls(partial, 2, 3600);
    const sent = (url: string) => fetch(url, { method: 'PUT', body: new Uint8Array(5) }).then(({ status }) => status);
    expect(await sent(first)).toBe(200);
    storage.after(3_599_000);
    await records.sweep();
    expect(await records.unfinishedBytes('acc_1')).toBe(10);
    storage.after(1001);
    await records.sweep();
    expect(await records.unfinishedBytes('acc_1')).toBe(0);
    await expect(media.direct.arrived(partial)).rejects.toMatchObject({ code: 'upload_removed' });
    expect(await sent(second)).toBe(404);
  });
});
