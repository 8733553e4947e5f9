import { request } from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { residentBytes, type Parlance, type TestApi } from '@parlance/testing';
import { pointersOf, problem } from './problem.js';
import { product } from './product.js';

const MEGABYTE = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };
const SOMEWHERE = 'http://127.0.0.1:9/talk.mp3';

let parlance: Parlance;
let api: TestApi;

beforeAll(async () => {
  parlance = await product();
  api = parlance.api;
});

const submitting = (body: unknown) => api.post('/transcriptions', body);
const raw = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = JSON_TYPE) => api.request('POST', '/transcriptions', { body, headers });

describe('a body', () => {
  it.each([
    ['declared', { 'content-length': String(200 * MEGABYTE) }],
    ['not declared', { 'transfer-encoding': 'chunked' }],
  ])('of 200 MB is refused without being held, its length %s', async (_name, headers) => {
    const before = await residentBytes(parlance.gatewayPid);
    let largest = before;
    const { status, body } = await sendMuch(200 * MEGABYTE, headers, async () => {
      largest = Math.max(largest, await residentBytes(parlance.gatewayPid));
    });
    expect(status).toBe(413);
    expect(JSON.parse(body)).toMatchObject({ code: 'payload_too_large', status: 413 });
    // The product of tests has a young generation of 64 MB, which may be touched first by this.
    expect(largest - before).toBeLessThan(100 * MEGABYTE);
  });

  it.each([
    ['missing', ''],
    ['cut off', '{"audio_url": "http'],
    ['with a comma too many', '{"audio_url": "http://example.org/a.mp3",}'],
    ['in another language', '<audio/>'],
    ['not in UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
  ])('that is JSON %s is malformed', async (_name, body) => {
    expect(await problem(await raw(body), 400)).toMatchObject({ code: 'malformed_json', retryable: false });
  });

  it.each([
    ['null', null],
    ['a list', []],
    ['a text', 'http://example.org/a.mp3'],
    ['a number', 1],
  ])('that is %s is not valid', async (_name, body) => {
    await problem(await submitting(body), 422);
  });

  it('with an unknown field is refused, so that a typing error is seen', async () => {
    const { code, errors } = await problem(await submitting({ audio_url: SOMEWHERE, langauge: 'en' }), 422);
    expect(code).toBe('unknown_field');
    expect(errors).toEqual([{ pointer: '/langauge', code: 'unknown_field', detail: expect.any(String) }]);
  });

  it('with many wrong fields has each of them listed', async () => {
    const answer = await problem(
      await submitting({
        audio_url: 7,
        callback_url: '',
        language: 'not a language',
        diarization: { min_speakers: 3, max_speakers: 2 },
        summary: 'yes',
        highlights: 'yes',
        vocabulary: ['fine', 5, ''],
        metadata: { 'a b': 'x', deep: { er: 1 } },
        retention_hours: -1,
        'strange/~field': 1,
      }),
      422,
    );
    expect(answer.errors?.map(({ pointer }) => pointer).toSorted()).toEqual(
      [
        '/audio_url',
        '/callback_url',
        '/language',
        '/diarization/max_speakers',
        '/summary',
        '/highlights',
        '/vocabulary/1',
        '/vocabulary/2',
        '/metadata/a b',
        '/metadata/deep',
        '/retention_hours',
        '/strange~1~0field',
      ].toSorted(),
    );
  });

  it.each([
    ['audio_url', `http://example.org/${'a'.repeat(2048)}`, '/audio_url'],
    ['callback_url', `http://example.org/${'a'.repeat(2048)}`, '/callback_url'],
    ['language', 'x'.repeat(65), '/language'],
    ['vocabulary', ['v'.repeat(101)], '/vocabulary/0'],
    ['vocabulary', Array.from({ length: 1001 }, (_, index) => `term ${index}`), '/vocabulary'],
    ['metadata', { a: 'x'.repeat(513) }, '/metadata/a'],
    ['metadata', Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`key${index}`, 'x'])), '/metadata'],
  ])('with a %s that is too long is refused', async (field, value, pointer) => {
    expect(pointersOf(await problem(await submitting({ audio_url: SOMEWHERE, [field]: value }), 422))).toEqual([[pointer, 'too_long']]);
  });

  it.each([
    ['a NUL', '{"audio_url": "http://example.org/a", "metadata": {"a": "x\\u0000y"}}'],
    ['half a surrogate pair', '{"audio_url": "http://example.org/a", "metadata": {"a": "\\ud800"}}'],
  ])('with %s in a text is refused', async (_name, body) => {
    expect(pointersOf(await problem(await raw(body), 422))).toEqual([['/metadata/a', 'invalid_text']]);
  });

  it('cannot change what objects are', async () => {
    const { errors } = await problem(await raw('{"audio_url": "http://example.org/a", "__proto__": {"polluted": true}, "constructor": {"prototype": {}}}'), 422);
    expect(errors?.length).toBeGreaterThan(0);
  });

  it('of another type is refused', async () => {
    expect(await problem(await raw('audio_url=http://example.org', { 'content-type': 'application/x-www-form-urlencoded' }), 415)).toMatchObject({ code: 'unsupported_media_type' });
    await problem(await raw('<a/>', { 'content-type': 'application/xml' }), 415);
    await problem(await raw(new Uint8Array([1, 2, 3]), {}), 415);
  });

  it('of a form without a file, with two, or cut off is refused', async () => {
    const form = new FormData();
    form.append('language', 'en');
    expect((await problem(await api.request('POST', '/transcriptions', { body: form }), 422)).errors).toContainEqual(expect.objectContaining({ pointer: '/file' }));
    const two = new FormData();
    two.append('file', new Blob(['a']), 'a.mp3');
    two.append('file', new Blob(['b']), 'b.mp3');
    await problem(await api.request('POST', '/transcriptions', { body: two }), 422);
    const cut = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.mp3"\r\n\r\nabc';
    await problem(await raw(cut, { 'content-type': 'multipart/form-data; boundary=x' }), 400);
    await problem(await raw(cut, { 'content-type': 'multipart/form-data' }), 400);
  });
});

/** Posts so many bytes of a JSON text; stops when the server has answered. */
function sendMuch(bytes: number, headers: Record<string, string>, onProgress: () => Promise<void>): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const post = request(`${api.url}/api/v1/transcriptions`, { method: 'POST', headers: { ...JSON_TYPE, ...headers, authorization: `Bearer ${api.apiKey}` } });
    let answered = false;
    post.once('response', (response) => {
      answered = true;
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.once('end', () => {
        post.destroy();
        resolve({ status: response.statusCode ?? 0, body });
      });
    });
    // The server may close while we still send; what it answered counts.
    post.on('error', (error) => (answered ? undefined : reject(error)));
    void send(post, bytes, () => answered, onProgress);
  });
}

async function send(post: ReturnType<typeof request>, bytes: number, isAnswered: () => boolean, onProgress: () => Promise<void>): Promise<void> {
  const piece = Buffer.alloc(MEGABYTE, ' ');
  for (let sent = 0; sent < bytes && !isAnswered() && !post.destroyed; sent += piece.length) {
    if (!post.write(piece)) await new Promise((resolve) => post.once('drain', resolve).once('close', resolve));
    await onProgress();
  }
  if (!post.destroyed) post.end();
}
