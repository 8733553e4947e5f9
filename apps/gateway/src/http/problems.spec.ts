import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { receivedError } from '@parlance/platform';
import { GatewayHarness } from '../../test/gateway-harness.js';

interface Problem {
  status: number;
  code: string;
  detail: string;
  errors?: { pointer: string; code: string; detail: string }[];
  request_id: string;
}

describe('every error is a problem document', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const problem = async (response: Response): Promise<Problem> => {
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    const body = (await response.json()) as Problem & { type: string };
    expect(body).toMatchObject({ type: `/problems/${body.code}`, status: response.status, title: expect.any(String), detail: expect.any(String), instance: expect.stringMatching(/^\//) });
    expect(body.request_id).toBe(response.headers.get('x-request-id'));
    return body;
  };
  const post = (body: string | Buffer, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
    gateway.fetch('/api/v1/transcriptions', { method: 'POST', body, headers });
  const refused = async (body: unknown) => problem(await post(JSON.stringify(body)));

  it('404 for an unknown path, 405 with Allow for an unknown method', async () => {
    expect(await problem(await gateway.fetch('/api/v1/nothing'))).toMatchObject({ status: 404, code: 'not_found' });
    const wrongMethod = await gateway.fetch('/api/v1/transcriptions/job_1', { method: 'PUT' });
    expect(wrongMethod.headers.get('allow')).toBe('DELETE, GET, HEAD, OPTIONS, PATCH');
    expect(await problem(wrongMethod)).toMatchObject({ status: 405, code: 'method_not_allowed' });
  });

  it('404 for an id that cannot exist', async () => {
    for (const id of ['x', 'job_%00', `job_${'a'.repeat(200)}`, 'job_../x']) {
      expect((await problem(await gateway.fetch(`/api/v1/transcriptions/${id}`))).status).toBe(404);
    }
  });

  it('400 for a body that is no JSON, no UTF-8 or missing', async () => {
    for (const body of ['{"audio_url":', 'nope', '', Buffer.from([0x22, 0xff, 0x22])]) {
      expect(await problem(await post(body))).toMatchObject({ status: 400, code: 'malformed_json' });
    }
  });

  it('400 for an address that cannot be decoded', async () => {
    expect(await problem(await gateway.fetch('/api/v1/transcriptions/%E0%A4%A'))).toMatchObject({ status: 400, code: 'malformed_request' });
  });

  it('415 for another media type', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
      expect(await problem(await post('a=b', { 'content-type': type }))).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    }
  });

  it('413 for a JSON body past a megabyte, whether its length is declared or not', async () => {
    const large = JSON.stringify({ audio_url: 'x'.repeat(1024 * 1024) });
    expect(await problem(await post(large))).toMatchObject({ status: 413, code: 'payload_too_large' });
    const stream = new Blob([large]).stream();
    const chunked = await gateway.fetch('/api/v1/transcriptions', { method: 'POST', body: stream, duplex: 'half', headers: { 'content-type': 'application/json' } } as RequestInit);
    expect(await problem(chunked)).toMatchObject({ status: 413, code: 'payload_too_large' });
  });

  it('413 for a JSON body of 100 MB, refused when little more than one has come', async () => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    const piece = Buffer.alloc(1024 * 1024, 0x20);
    socket.on('error', () => undefined);
    socket.write(`POST /api/v1/transcriptions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.apiKey}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`);
    let sent = 0;
    let sentWhenRefused = 0;
    const answer = new Promise<string>((resolve) =>
      socket.once('data', (bytes) => {
        sentWhenRefused = sent;
        resolve(bytes.toString());
      }),
    );
    const pump = () => {
      while (sent < 100 && !socket.destroyed) {
        sent++;
        socket.write('100000\r\n');
        socket.write(piece);
        if (!socket.write('\r\n')) return void socket.once('drain', pump);
      }
    };
    pump();
    expect(await answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*payload_too_large/);
    // Beside what was read, the buffers of the two sockets hold some.
    expect(sentWhenRefused).toBeLessThan(30);
    socket.destroy();
  });

  it('before the body is looked at, when the key is missing', async () => {
    const response = await fetch(`${gateway.url}/api/v1/transcriptions`, { method: 'POST', body: 'nope', headers: { 'content-type': 'text/plain' } });
    expect((await problem(response)).status).toBe(401);
  });

  it('422 with every wrong field and where it is', async () => {
    const answer = await refused({
      audio_url: 7,
      language: 'not a tag',
      callback_url: 'ftp://example.org',
      diarization: { min_speakers: 3, max_speakers: 2 },
      summary: { format: 'haiku' },
      highlights: 'yes',
      vocabulary: ['ok', ''],
      metadata: { 'a b': 'x', n: 1 },
      retention_hours: 90_000,
      result_key: { kty: 'RSA' },
      'odd/na~me': 1,
    });
    expect(answer).toMatchObject({ status: 422, code: 'invalid_request' });
    expect(answer.errors?.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()).toEqual([
      '/audio_url invalid_type',
      '/callback_url invalid_url',
      '/diarization/max_speakers invalid_value',
      '/highlights invalid_type',
      '/language invalid_format',
      '/metadata/a b invalid_format',
      '/metadata/n invalid_type',
      '/odd~1na~0me unknown_field',
      '/result_key result_key_unsupported',
      '/retention_hours too_large',
      '/summary/format invalid_value',
      '/vocabulary/1 too_short',
    ]);
  });

  it('422 with one error a number, however many bounds it is beyond, and its own one', async () => {
    const answer = await refused({ audio_url: 'https://example.org/a.mp3', retention_hours: 1e300, diarization: { max_speakers: -1e300 } });
    expect(answer.errors?.map(({ pointer, detail }) => `${pointer} ${detail}`).toSorted()).toEqual([
      '/diarization/max_speakers It must be at least 1.',
      '/retention_hours It must be at most 87600.',
    ]);
  });

  it('422 under the code of the field where that says it all', async () => {
    const audio_url = 'https://example.org/a.mp3';
    expect(await refused({ audio_url, langauge: 'en' })).toMatchObject({ code: 'unknown_field', errors: [{ pointer: '/langauge' }] });
    expect(await refused({ audio_url, language: 'tlh' })).toMatchObject({ code: 'language_unsupported', errors: [{ pointer: '/language' }] });
    expect(await refused({ audio_url: 'http://127.0.0.1/a.mp3' })).toMatchObject({ code: 'address_forbidden', errors: [{ pointer: '/audio_url' }] });
    expect(await refused({ audio_url, callback_url: 'http://[::1]/' })).toMatchObject({ code: 'address_forbidden', errors: [{ pointer: '/callback_url' }] });
    expect(await refused({ audio_url: 'file:///etc/passwd' })).toMatchObject({ code: 'invalid_url' });
    expect(await refused({ audio_url, result_key: {} })).toMatchObject({ code: 'result_key_unsupported' });
    expect(await refused({})).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/audio_url', code: 'required' }] });
    expect(await refused([])).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '', code: 'invalid_type' }] });
    expect(await refused({ audio_url: `https://example.org/${'a'.repeat(2048)}` })).toMatchObject({ errors: [{ pointer: '/audio_url', code: 'too_long' }] });
  });

  it('422 for text with NUL or half a surrogate pair', async () => {
    const bodies = [String.raw`{"audio_url":"https://example.org/a","metadata":{"a":"\u0000"}}`, String.raw`{"audio_url":"https://example.org/a","metadata":{"a":"\ud800"}}`];
    for (const body of bodies) {
      expect(await problem(await post(body))).toMatchObject({ status: 422, errors: [{ pointer: '/metadata/a', code: 'invalid_text' }] });
    }
  });

  it('422 for `__proto__` and its like, as for any unknown field', async () => {
    expect(await problem(await post('{"audio_url":"https://example.org/a","__proto__":{"highlights":false}}'))).toMatchObject({ code: 'unknown_field', errors: [{ pointer: '/__proto__' }] });
  });

  it('422 for a metadata key that JavaScript takes for something else, in the body, a form and a filter', async () => {
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      const errors = [{ pointer: `/metadata/${key}`, code: 'invalid_format' }];
      expect(await problem(await post(`{"audio_url":"https://example.org/a","metadata":{"${key}":"x"}}`))).toMatchObject({ status: 422, errors });
      for (const [name, value] of [[`metadata[${key}]`, 'x'], ['metadata', `{"${key}":"x"}`]] as const) {
        const form = new FormData();
        form.append('audio_url', 'https://example.org/a');
        form.append(name, value);
        const answer = await gateway.fetch('/api/v1/transcriptions', { method: 'POST', body: form });
        expect(await problem(answer)).toMatchObject({ status: 422, errors });
      }
      expect((await problem(await gateway.fetch(`/api/v1/transcriptions?metadata[${key}]=x`))).status).toBe(422);
    }
  });

  it('422 for query parameters, which are validated alike', async () => {
    const wrong = await problem(await gateway.fetch('/api/v1/transcriptions?limit=0&status=gone&created_after=yesterday&colour=red&cursor='));
    expect(wrong.errors?.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()).toEqual([
      '?colour unknown_field',
      '?created_after invalid_format',
      '?cursor too_short',
      '?limit too_small',
      '?status invalid_value',
    ]);
    expect((await problem(await gateway.fetch('/api/v1/transcriptions?limit=1&limit=2'))).errors).toMatchObject([{ pointer: '?limit' }]);
    expect(await problem(await gateway.fetch('/api/v1/transcriptions?cursor=broken'))).toMatchObject({ status: 422, code: 'invalid_cursor' });
  });

  it('500 without a word of what is inside, 503 when a service does not answer', async () => {
    gateway.services.beforeCreate = () => Promise.reject(new Error('connect ECONNREFUSED ingest.internal:50051'));
    const broken = await post('{"audio_url":"https://example.org/a.mp3"}');
    const text = JSON.stringify(await problem(broken));
    expect(text).toMatch(/"code":"internal".*"retryable":true/);
    expect(text).not.toMatch(/ingest\.internal|at .*\.[jt]s/);
    gateway.services.beforeCreate = async () => {};
  });

  it('with a code of the catalogue, whatever word the other services have for it', async () => {
    const words = [
      ['unavailable', 'word_of_its_own', 'service_unavailable', 503],
      ['not_found', 'word_of_its_own', 'not_found', 404],
      ['conflict', 'word_of_its_own', 'invalid_state', 409],
      ['unavailable', 'engine_refused', 'engine_refused', 422],
    ] as const;
    for (const [kind, word, code, status] of words) {
      gateway.services.beforeCreate = () => Promise.reject(receivedError({ kind, code: word, message: 'no' }));
      const answer = await refused({ audio_url: 'https://example.org/a.mp3' });
      expect(answer).toMatchObject({ status, code });
      expect((await fetch(`${gateway.url}/problems/${answer.code}`)).status).toBe(200);
    }
    gateway.services.beforeCreate = async () => {};
  });

  it('400 over the bare socket for what is no HTTP', async () => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    const answer = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(bytes.toString())));
    socket.write('HELLO\r\n\r\n');
    expect(await answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*application\/problem\+json[\s\S]*malformed_request/);
  });

  it('and every answer carries a request id: the caller’s own when it is a sane one', async () => {
    const own = await gateway.fetch('/api/v1/account', { headers: { 'x-request-id': 'my-request.1' } });
    expect(own.headers.get('x-request-id')).toBe('my-request.1');
    const odd = await gateway.fetch('/api/v1/account', { headers: { 'x-request-id': 'a b<script>' } });
    expect(odd.headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('and goes to the other services with the trace context', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await gateway.fetch('/api/v1/transcriptions', {
      method: 'POST',
      body: '{"audio_url":"https://example.org/a.mp3"}',
      headers: { 'content-type': 'application/json', 'x-request-id': 'traced', traceparent },
    });
    expect(gateway.services.orders.at(-1)).toMatchObject({ requestId: 'traced', traceparent: expect.stringMatching(/^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$/) });
  });
});
