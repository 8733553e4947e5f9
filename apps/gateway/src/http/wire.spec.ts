import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transcription, transcripts } from '@parlance/contracts';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { completed } from '../../test/job-messages.js';

interface WireAnswer {
  status: number | undefined;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
}

const WORDS = Array.from({ length: 5000 }, (_, index) => ({ text: `word${index % 50}`, start: index, end: index + 0.5 }));

describe('on the wire', () => {
  let gateway: GatewayHarness;
  let jobId: string;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    jobId = await gateway.submit({ metadata: { project: 'apollo' } });
    const segment = transcripts.Segment.fromPartial({ segmentId: 'seg_1', end: 5000, text: WORDS.map(({ text }) => text).join(' '), words: WORDS });
    gateway.services.transcripts.set(jobId, { header: transcription.TranscriptHeader.fromPartial({ language: 'en', version: 3 }), pages: [[segment]] });
    gateway.services.change(jobId, completed);
    for (let count = 0; count < 9; count++) await gateway.submit();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  /** Unlike fetch, it leaves the body as it came. */
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<WireAnswer>((resolve, reject) => {
      const sent = request(`${gateway.url}${path}`, { method, headers: { authorization: `Bearer ${gateway.apiKey}`, ...headers } }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () => resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }));
      });
      sent.once('error', reject).end();
    });
  const words = () => `/api/v1/transcriptions/${jobId}?include=words`;

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('answers are compressed by %s for a client that accepts it, whether streamed or not', async (coding, decompress) => {
    for (const path of [words(), '/api/v1/transcriptions', '/openapi.json', '/docs/swagger-ui.css', '/problems']) {
      const plain = await get(path);
      const packed = await get(path, { 'accept-encoding': coding });
      expect([path, plain.headers['content-encoding'], packed.headers['content-encoding'], packed.headers['vary']]).toEqual([path, undefined, coding, expect.stringMatching(/accept-encoding/i)]);
      expect(decompress(packed.bytes).equals(plain.bytes)).toBe(true);
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length);
    }
  });

  it('a client that accepts no coding, or refuses all, gets answers as they are', async () => {
    for (const coding of ['', 'identity', 'br;q=0, gzip;q=0', 'zstd']) {
      expect([coding, (await get(words(), { 'accept-encoding': coding })).headers['content-encoding']]).toEqual([coding, undefined]);
    }
  });

  it('short answers, refusals, events and answers with secrets are not compressed', async () => {
    const key = await gateway.fetch('/api/v1/keys', { method: 'POST', body: JSON.stringify({ name: 'a'.repeat(100) }), headers: { 'content-type': 'application/json' } });
    expect(key.headers.get('content-encoding')).toBeNull();
    for (const path of ['/api/v1/account', '/api/v1/transcriptions/job_none', `/api/v1/transcriptions/${jobId}/events`]) {
      expect([path, (await get(path, { 'accept-encoding': 'gzip, br' })).headers['content-encoding']]).toEqual([path, undefined]);
    }
  });

  it('every read has an ETag, by which it is not sent again', async () => {
    const reads = ['/transcriptions', `/transcriptions/${jobId}`, `/transcriptions/${jobId}/speakers`, '/languages', '/keys', '/account', '/usage', '/webhook-endpoints'];
    for (const path of [...reads.map((read) => `/api/v1${read}`), '/openapi.json', '/problems', '/docs']) {
      const { headers } = await get(path, { 'accept-encoding': 'br' });
      const etag = String(headers['etag']);
      expect([path, etag]).toEqual([path, expect.stringMatching(/^W\/"[^"]+"$/)]);
      const again = await get(path, { 'if-none-match': `"other", ${etag}` });
      expect([path, again.status, again.headers['etag'], again.bytes.length]).toEqual([path, 304, etag, 0]);
    }
  });

  it('a list with another entry has another ETag', async () => {
    const before = (await get('/api/v1/transcriptions')).headers['etag'];
    await gateway.submit();
    const after = await get('/api/v1/transcriptions', { 'if-none-match': String(before) });
    expect([after.status, after.headers['etag'] === before]).toEqual([200, false]);
  });
});

describe('the types of problems', () => {
  it('are URLs of pages that explain them, absolute where the server knows its address', async () => {
    await using gateway = await GatewayHarness.start({ PUBLIC_URL: 'https://api.example.org/' });
    const { body } = await gateway.call('GET', '/transcriptions/job_none');
    expect(body).toMatchObject({ code: 'not_found', type: 'https://api.example.org/problems/not_found' });
    expect((await gateway.fetch(new URL(String(body['type'])).pathname)).status).toBe(200);
  });
});
