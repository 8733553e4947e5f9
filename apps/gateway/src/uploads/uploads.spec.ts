import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError, silentLogger } from '@parlance/platform';
import { eventually, filesBelow } from '@parlance/testing';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { StorageFolder } from '../../test/storage-folder.js';
import { titleOf } from '../transcripts/document-head.js';
import { UploadLeases } from './upload-leases.js';
import { UploadStore } from './upload-store.js';

const MAX_BYTES = 100_000;
const sound = Buffer.from('RIFF'.repeat(1000));

describe('an upload', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ MEDIA_MAX_BYTES: String(MAX_BYTES) });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  type Part = [name: string, value: string | Buffer];
  const send = (parts: Part[], headers: Record<string, string> = {}) => {
    const form = new FormData();
    for (const [name, value] of parts) {
      if (typeof value === 'string') form.append(name, value);
      else form.append(name, new Blob([new Uint8Array(value)]), 'meeting.wav');
    }
    return gateway.call<{ job_id: string; code: string }>('POST', '/transcriptions', { body: form, headers });
  };
  const stored = () => filesBelow(join(gateway.process.dataFolder, 'media'));
  const leavesNothing = async (work: () => Promise<unknown>) => {
    const before = await stored();
    await work();
    await eventually('the media store to be as before', async () => (await stored()).every((file) => before.includes(file)));
  };

  it('is stored as its job’s source, with fields before and after it', async () => {
    const answer = await send([['language', 'en'], ['metadata[project]', 'apollo'], ['file', sound], ['diarization', '{"max_speakers":2}'], ['vocabulary', 'Parlance'], ['vocabulary', 'Kafka']]);
    expect(answer.status).toBe(202);
    const request = gateway.services.created.at(-1);
    expect(request).toMatchObject({
      jobId: answer.body.job_id,
      source: {
        $case: 'upload',
        value: {
          mediaKey: `${gateway.accountId}/${answer.body.job_id}/source`,
          sizeBytes: sound.length,
          sha256: createHash('sha256').update(sound).digest('hex'),
          fileName: 'meeting.wav',
        },
      },
      options: { language: 'en', metadata: { project: 'apollo' }, diarization: { enabled: true, maxSpeakers: 2 }, vocabulary: ['Parlance', 'Kafka'] },
    });
    const files = await stored();
    const contents = await Promise.all(files.map((file) => readFile(file)));
    expect(contents.some((content) => content.equals(sound))).toBe(true);
  });

  it('keeps the name of its file, in any script, as a field of the job and the title of its documents', async () => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(sound)]), 'ישיבת צוות — 会議.wav');
    const { body } = await gateway.call<{ job_id: string }>('POST', '/transcriptions', { body: form });
    expect(await gateway.call('GET', `/transcriptions/${body.job_id}`)).toMatchObject({ body: { file_name: 'ישיבת צוות — 会議.wav' } });
    expect(titleOf(gateway.services.job(body.job_id))).toBe('ישיבת צוות — 会議.wav');
  });

  it('may be a form that names an address instead', async () => {
    const answer = await send([['audio_url', 'https://example.org/a.mp3']]);
    expect(answer.status).toBe(202);
    expect(gateway.services.created.at(-1)?.source).toEqual({ $case: 'audioUrl', value: 'https://example.org/a.mp3' });
  });

  it('past the size limit is refused and leaves nothing; at the limit it is taken', async () => {
    await leavesNothing(async () => {
      expect(await send([['file', Buffer.alloc(MAX_BYTES + 1)]])).toMatchObject({ status: 413, body: { code: 'media_too_large' } });
    });
    expect((await send([['file', Buffer.alloc(MAX_BYTES)]])).status).toBe(202);
    expect(gateway.services.created.at(-1)?.source).toMatchObject({ value: { sizeBytes: MAX_BYTES } });
  });

  it('of an account that has as many jobs as it may have is refused before any of its file is sent', () =>
    leavesNothing(async () => {
      gateway.services.isFull = true;
      const { hostname, port } = new URL(gateway.url);
      const socket = connect(Number(port), hostname);
      socket.write(`POST /api/v1/transcriptions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.apiKey}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${MAX_BYTES}\r\n\r\n`);
      let answer = '';
      for await (const bytes of socket) if ((answer += String(bytes)).includes('}')) break;
      gateway.services.isFull = false;
      expect(answer).toMatch(/^HTTP\/1.1 429 /);
      expect(answer).toContain('"code":"too_many_jobs"');
      expect(answer).toMatch(/\r\nretry-after: 10\r\n/i);
    }));

  it('with a wrong field is refused and leaves nothing, whichever came first', () =>
    leavesNothing(async () => {
      expect(await send([['langauge', 'en'], ['file', sound]])).toMatchObject({ status: 422, body: { code: 'unknown_field', errors: [{ pointer: '/langauge' }] } });
      expect(await send([['file', sound], ['highlights', 'perhaps']])).toMatchObject({ status: 422, body: { errors: [{ pointer: '/highlights', code: 'invalid_type' }] } });
      expect(await send([['file', sound], ['callback_url', 'http://localhost/']])).toMatchObject({ status: 422, body: { code: 'address_forbidden' } });
      expect(await send([['file', sound], ['file', sound]])).toMatchObject({ status: 422, body: { errors: [{ pointer: '/file', code: 'too_long' }] } });
      expect(await send([['sound', sound]])).toMatchObject({ status: 422, body: { code: 'unknown_field', errors: [{ pointer: '/sound' }] } });
      expect(await send([['language', 'en']])).toMatchObject({ status: 422, body: { errors: [{ pointer: '/file', code: 'required' }] } });
    }));

  it('with metadata that is no object is refused, also beside pairs that are', async () => {
    for (const metadata of ['apollo', '["apollo"]']) {
      const { status, body } = await send([['file', sound], ['metadata', metadata], ['metadata[project]', 'apollo']]);
      expect([status, body]).toEqual([422, expect.objectContaining({ errors: [expect.objectContaining({ pointer: '/metadata', code: 'invalid_type' })] })]);
    }
  });

  it('beside an address is told that it may be one of both, whichever came first', () =>
    leavesNothing(async () => {
      const url: Part = ['audio_url', 'https://example.org/a.mp3'];
      const both = { status: 422, body: { errors: [{ pointer: '/audio_url', code: 'invalid_value', detail: 'Send a file or an audio_url, not both.' }] } };
      expect(await send([url, ['file', sound]])).toMatchObject(both);
      expect(await send([['file', sound], url])).toMatchObject(both);
    }));

  it('that is text and no file is told how curl sends one', async () => {
    const hint = (text: string) => ({ status: 422, body: { errors: [{ pointer: '/file', code: 'invalid_type', detail: expect.stringContaining(`Did you mean file=@${text}?`) }] } });
    expect(await send([['file', 'hello']])).toMatchObject(hint('hello'));
    expect(await send([['file', 'RIFF\n'.repeat(100)]])).toMatchObject(hint('path'));
    expect(await send([['audio_url', 'https://example.org/a.mp3'], ['file', 'hello']])).toMatchObject(hint('hello'));
  });

  it('that the other services refuse leaves nothing', () =>
    leavesNothing(async () => {
      gateway.services.beforeCreate = () => Promise.reject(new AppError({ kind: 'conflict', code: 'invalid_state', message: 'no' }));
      expect((await send([['file', sound]])).status).toBe(409);
      gateway.services.beforeCreate = async () => {};
    }));

  it('with more than a megabyte of fields is refused wherever they stand, also as the repetition of one', () =>
    leavesNothing(async () => {
      const tooLarge = { status: 413, body: { code: 'payload_too_large' } };
      const url: Part = ['audio_url', 'https://example.org/a.mp3'];
      const fields = Array.from({ length: 6 }, (_, index): Part => [`metadata[${index}]`, '\u0001'.repeat(200_000)]);
      const names = Array.from({ length: 30 }, (_, index): Part => [`metadata[${index}${'n'.repeat(50_000)}]`, '']);
      for (const many of [fields, names]) {
        expect(await send(many)).toMatchObject(tooLarge);
        expect(await send([url, ...many])).toMatchObject(tooLarge);
        expect(await send([['file', sound], ...many])).toMatchObject(tooLarge);
      }
      const headers = { 'idempotency-key': 'many-fields' };
      expect(await send([url], headers)).toMatchObject({ status: 202 });
      expect(await send([url, ...fields], headers)).toMatchObject(tooLarge);
      expect(await send([['file', sound], ...fields], headers)).toMatchObject(tooLarge);
      expect(await send([url, ...fields.slice(1)], headers)).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
    }));

  it('is refused at the first byte of its fields that is too many', async () => {
    const { hostname, port } = new URL(gateway.url);
    for (const fileFirst of [false, true]) {
      const socket = connect(Number(port), hostname);
      socket.write(`POST /api/v1/transcriptions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.apiKey}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 20000000\r\n\r\n`);
      if (fileFirst) socket.write(`--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n${'x'.repeat(90_000)}\r\n`);
      const field = (index: number) => `--b\r\nContent-Disposition: form-data; name="metadata[${index}]"\r\n\r\n${'x'.repeat(200_000)}\r\n`;
      for (let index = 0; index < 6; index++) socket.write(field(index));
      let answer = '';
      for await (const bytes of socket) if ((answer += String(bytes)).includes('}')) break;
      expect(answer).toMatch(/^HTTP\/1.1 413 [\s\S]*"code":"payload_too_large"/);
    }
  });

  it('that is no form at all is malformed', async () => {
    const broken = await gateway.fetch('/api/v1/transcriptions', { method: 'POST', body: 'nothing', headers: { 'content-type': 'multipart/form-data; boundary=x' } });
    expect([broken.status, ((await broken.json()) as { code: string }).code]).toEqual([400, 'malformed_request']);
    const without = await gateway.fetch('/api/v1/transcriptions', { method: 'POST', body: 'nothing', headers: { 'content-type': 'multipart/form-data' } });
    expect(without.status).toBe(400);
  });

  it('whose client goes away leaves nothing', () =>
    leavesNothing(async () => {
      const before = gateway.services.created.length;
      const files = await stored();
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
      socket.write(
        `POST /api/v1/transcriptions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.apiKey}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 90000\r\n\r\n` +
          '--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n' +
          'x'.repeat(20_000),
      );
      await eventually('the upload to begin', async () => (await stored()).some((file) => !files.includes(file)));
      socket.destroy();
      expect(gateway.services.created.length).toBe(before);
    }));

  it('whose key is revoked while it comes is refused and leaves nothing', () =>
    leavesNothing(async () => {
      const { keyId, apiKey } = await gateway.createKey(['transcriptions:write']);
      const body = new TransformStream<Uint8Array, Uint8Array>();
      const writer = body.writable.getWriter();
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'multipart/form-data; boundary=B' };
      const answer = gateway.fetch('/api/v1/transcriptions', { method: 'POST', headers, body: body.readable, duplex: 'half' });
      await writer.write(Buffer.from('--B\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF'));
      const made = gateway.services.created.length;
      await gateway.call('DELETE', `/keys/${keyId}`);
      expect(await (await answer).json()).toMatchObject({ status: 401, code: 'unauthenticated' });
      expect(gateway.services.created).toHaveLength(made);
    }));

  it('is not read when the key is wrong', async () => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(sound)]), 'a.wav');
    const response = await fetch(`${gateway.url}/api/v1/transcriptions`, { method: 'POST', body: form, headers: { authorization: 'Bearer no' } });
    expect(response.status).toBe(401);
  });
});

describe('what a killed process left of an upload', () => {
  const owner = { accountId: 'acc_1', jobId: 'job_1', token: 'first' };
  const heir = { ...owner, token: 'second' };
  const limits = { maxBytes: MAX_BYTES, pace: { startMs: 60_000, minBytesPerSecond: 1, stallMs: 60_000 } };
  async function* bytes() {
    yield new Uint8Array(sound);
  }

  it('is removed once its lease is over, unless a job came of it', async () => {
    await using storage = await StorageFolder.open();
    const uploads = new UploadStore(storage.media, new UploadLeases(storage.documents, storage.clock), limits, silentLogger());
    await uploads.store(owner, bytes(), new AbortController().signal);
    await uploads.store({ ...owner, jobId: 'job_2' }, bytes(), new AbortController().signal);
    const sweep = () => uploads.sweep(async ({ jobId }) => jobId === 'job_2');
    await sweep();
    expect(await storage.keys()).toEqual(['acc_1/job_1/source', 'acc_1/job_2/source']);
    storage.after(120_000);
    await sweep();
    expect(await storage.keys()).toEqual(['acc_1/job_2/source']);
    await expect(uploads.hold(owner)).rejects.toMatchObject({ code: 'service_unavailable', retryable: true });
  });

  it('stays when it was handed over to its job', async () => {
    await using storage = await StorageFolder.open();
    const uploads = new UploadStore(storage.media, new UploadLeases(storage.documents, storage.clock), limits, silentLogger());
    await uploads.store(owner, bytes(), new AbortController().signal);
    await uploads.handOver(owner);
    storage.after(120_000);
    await uploads.sweep(async () => false);
    expect(await storage.keys()).toEqual(['acc_1/job_1/source']);
  });

  it('is left to the later try that took it over', async () => {
    await using storage = await StorageFolder.open();
    const uploads = new UploadStore(storage.media, new UploadLeases(storage.documents, storage.clock), limits, silentLogger());
    await uploads.store(owner, bytes(), new AbortController().signal);
    await uploads.store(heir, bytes(), new AbortController().signal);
    await expect(uploads.hold(owner)).rejects.toMatchObject({ code: 'service_unavailable', retryable: true });
    await uploads.discard(owner);
    await uploads.hold(heir);
    await uploads.handOver(heir);
    await uploads.discard(owner);
    storage.after(120_000);
    await uploads.sweep(async () => true);
    expect(await storage.keys()).toEqual(['acc_1/job_1/source']);
  });

  it('does not replace the file of the later try when it goes on after all', async () => {
    await using storage = await StorageFolder.open();
    const uploads = new UploadStore(storage.media, new UploadLeases(storage.documents, storage.clock), limits, silentLogger());
    const begun = Promise.withResolvers<void>();
    const paused = Promise.withResolvers<void>();
    async function* slowBytes() {
      yield new Uint8Array(1);
      begun.resolve();
      await paused.promise;
    }
    const slow = uploads.store(owner, slowBytes(), new AbortController().signal);
    const outcome = expect(slow).rejects.toMatchObject({ code: 'service_unavailable', retryable: true });
    await begun.promise;
    await uploads.store(heir, bytes(), new AbortController().signal);
    await uploads.hold(heir);
    await uploads.handOver(heir);
    paused.resolve();
    await outcome;
    expect(await storage.media.head('acc_1/job_1/source')).toMatchObject({ sizeBytes: sound.length });
  });

  it('is removed by a sweep also when its process came back after an earlier one', async () => {
    await using storage = await StorageFolder.open();
    const uploads = new UploadStore(storage.media, new UploadLeases(storage.documents, storage.clock), limits, silentLogger());
    await uploads.discard(owner);
    await storage.media.put(uploads.keyOf(owner), bytes());
    storage.after(1);
    await uploads.sweep(async () => false);
    expect(await storage.keys()).toEqual([]);
  });

  it('cannot become a job once a sweep looks whether it did', async () => {
    await using storage = await StorageFolder.open();
    const uploads = new UploadStore(storage.media, new UploadLeases(storage.documents, storage.clock), limits, silentLogger());
    await uploads.store(owner, bytes(), new AbortController().signal);
    storage.after(120_000);
    await uploads.sweep(async () => {
      await expect(uploads.hold(owner)).rejects.toMatchObject({ code: 'service_unavailable', retryable: true });
      await expect(uploads.store(heir, bytes(), new AbortController().signal)).rejects.toMatchObject({ code: 'idempotency_in_flight' });
      return false;
    });
    expect(await storage.keys()).toEqual([]);
    await uploads.store(heir, bytes(), new AbortController().signal);
    expect(await storage.keys()).toEqual(['acc_1/job_1/source']);
  });
});
