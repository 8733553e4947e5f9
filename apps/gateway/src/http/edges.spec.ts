import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transcription } from '@parlance/contracts';
import { GatewayHarness } from '../../test/gateway-harness.js';

interface Problem {
  status: number;
  code: string;
  detail: string;
  errors?: { pointer: string; code: string; detail: string }[];
}

describe('at the edge', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ MEDIA_MAX_BYTES: '1000', UPLOAD_STALL_SECONDS: '3' });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const problem = async (path: string, init: RequestInit = {}): Promise<Problem> => {
    const response = await gateway.fetch(`/api/v1${path}`, init);
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    return (await response.json()) as Problem;
  };
  const json = (method: string, body: unknown): RequestInit => ({ method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  const places = ({ errors }: Problem) => errors?.map(({ pointer, code }) => `${pointer} ${code}`).toSorted();

  it('a body that is packed is refused, not read as it is', async () => {
    const packed = new Uint8Array(gzipSync('{"audio_url":"https://example.org/a.mp3"}'));
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect(await problem('/transcriptions', { method: 'POST', body: packed, headers })).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    const form = new FormData();
    form.append('audio_url', 'https://example.org/a.mp3');
    expect(await problem('/transcriptions', { method: 'POST', body: form, headers: { 'content-encoding': 'br' } })).toMatchObject({ status: 415 });
  });

  it('a field for an operation that takes none is unknown; an empty object is no body', async () => {
    const jobId = await gateway.submit();
    for (const [method, path] of [['POST', '/cancel'], ['POST', '/retry'], ['DELETE', '']] as const) {
      const answer = await problem(`/transcriptions/${jobId}${path}`, json(method, { force: true }));
      expect(answer).toMatchObject({ status: 422, code: 'unknown_field', errors: [{ pointer: '/force' }] });
    }
    expect(await problem(`/transcriptions/${jobId}/cancel`, { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } })).toMatchObject({ status: 415 });
    expect((await gateway.call('POST', `/transcriptions/${jobId}/cancel`, { json: {} })).status).toBe(202);
    expect((await gateway.call('DELETE', `/transcriptions/${jobId}`)).status).toBe(202);
  });

  it('what is nested without end is refused on every route that takes a body', async () => {
    const { key_id: keyId } = (await gateway.call<{ key_id: string }>('POST', '/keys', { json: { name: 'nested' } })).body;
    const jobId = await gateway.submit();
    const inObjects = (depth: number) => `{"metadata":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`;
    const bodies = ['['.repeat(200_000) + ']'.repeat(200_000), inObjects(50_000), inObjects(20), `{"metadata":{"a":[${'['.repeat(9000)}${']'.repeat(9000)}]}}`];
    for (const path of ['/transcriptions', '/keys', `/keys/${keyId}/rotate`, `/transcriptions/${jobId}/cancel`]) {
      for (const body of bodies) {
        const answer = await problem(path, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
        expect(answer.status).toBe(422);
        expect(JSON.stringify(answer).length).toBeLessThan(2000);
      }
    }
    const nested = `{"audio_url":"https://example.org/a.mp3","metadata":{"a":${'['.repeat(99)}${']'.repeat(99)}}}`;
    expect(places(await problem('/transcriptions', { method: 'POST', body: nested, headers: { 'content-type': 'application/json' } }))).toContain('/metadata too_deep');
    const form = new FormData();
    form.append('audio_url', 'https://example.org/a.mp3');
    form.append('metadata', inObjects(40_000));
    expect(await problem('/transcriptions', { method: 'POST', body: form })).toMatchObject({ status: 422 });
  });

  it('JSON is UTF-8, whatever else its type says', async () => {
    const post = (type: string) => gateway.fetch('/api/v1/transcriptions', { method: 'POST', body: '{"audio_url":"https://example.org/a.mp3"}', headers: { 'content-type': type } });
    for (const parameters of ['', ';charset=utf-8', '; charset=UTF-8', ' ; charset="utf-8"', '; charset=utf8', '; profile="a;b"', ';', ';; charset=utf-8 ;']) {
      expect([parameters, (await post(`application/json${parameters}`)).status]).toEqual([parameters, 202]);
    }
    for (const parameters of ['; charset=utf-16', '; charset="iso-8859-1"', '; charset=', ';;;x', '; x y=1', '; charset=utf-8; charset=utf-16', ', text/plain']) {
      expect([parameters, (await post(`application/json${parameters}`)).status]).toEqual([parameters, 415]);
    }
    expect(await (await post('application/json; charset=utf-16')).json()).toMatchObject({ code: 'unsupported_media_type', detail: expect.stringContaining('UTF-8') });
  });

  it('a parameter that is given twice is told so', async () => {
    const answer = await problem('/transcriptions?limit=1&limit=2&status=queued&status=failed&statuses=queued&statuses=failed&metadata[a]=1&metadata[a]=2&colour=1&colour=2');
    const once = 'This may be given only once.';
    expect(answer.errors?.toSorted((one, other) => (one.pointer < other.pointer ? -1 : 1))).toEqual([
      { pointer: '?colour', code: 'unknown_field', detail: 'This field is not known.' },
      { pointer: '?limit', code: 'invalid_type', detail: once },
      { pointer: '?metadata[a]', code: 'invalid_type', detail: once },
      { pointer: '?status', code: 'invalid_type', detail: once },
      { pointer: '?statuses', code: 'invalid_type', detail: 'Give this once, with its values separated by commas.' },
    ]);
  });

  it('an address that is not as it seems is refused where it is', async () => {
    const urls = ['https://example.org:0/a.mp3', ' https://example.org/a.mp3', 'https://example.org/a.mp3\n', 'https://exam\nple.org/a.mp3', 'https://example.org/a\tb.mp3'];
    for (const url of urls) {
      const answer = await problem('/transcriptions', json('POST', { audio_url: url, callback_url: url }));
      expect([answer.code, places(answer)]).toEqual(['invalid_url', ['/audio_url invalid_url', '/callback_url invalid_url']]);
    }
  });

  it('an address with credentials is told what to do instead, which is not the same for media and for a receiver', async () => {
    const url = 'https://me:secret@example.org/a';
    const { errors = [] } = await problem('/transcriptions', json('POST', { audio_url: url, callback_url: url }));
    expect(errors.map(({ pointer, detail }) => [pointer, detail])).toEqual([
      ['/audio_url', expect.stringContaining('use a presigned URL')],
      ['/callback_url', expect.stringMatching(/^The URL contains credentials\. Remove them: webhooks are signed/)],
    ]);
  });

  it('a form with a field that is named as a prototype is told so', async () => {
    const form = new FormData();
    form.append('__proto__', 'x');
    form.append('audio_url', 'https://example.org/a.mp3');
    expect(await problem('/transcriptions', { method: 'POST', body: form })).toMatchObject({ status: 422, code: 'unknown_field' });
  });

  it('what is too large is told how large it may be', async () => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(1001)]), 'a.wav');
    expect((await problem('/transcriptions', { method: 'POST', body: form })).detail).toContain('1000 bytes');
    expect((await problem('/transcriptions', json('POST', { audio_url: 'x'.repeat(2 ** 20) }))).detail).toContain('1048576 bytes');
    const socketTooLong = await problem('/transcriptions', { method: 'POST', body: new Uint8Array(40 * 2 ** 20), headers: { 'content-type': 'multipart/form-data; boundary=b' } });
    expect(socketTooLong).toMatchObject({ status: 413, detail: expect.stringContaining('1000 bytes') });
  });

  it('events are refused to who cannot read them', async () => {
    const jobId = await gateway.submit();
    const events = (accept: string) => gateway.fetch(`/api/v1/transcriptions/${jobId}/events`, { method: 'HEAD', headers: { accept } });
    for (const accept of ['application/json', 'text/event-stream;q=0', 'text/html, text/plain;q=0.5']) expect((await events(accept)).status).toBe(406);
    for (const accept of ['*/*', 'text/*', 'text/event-stream', 'application/json, */*;q=0.1']) expect((await events(accept)).status).toBe(200);
    expect(await problem(`/transcriptions/${jobId}/events`, { headers: { accept: 'application/json' } })).toMatchObject({ code: 'not_acceptable' });
  });

  it('a number may be as fine as it likes', async () => {
    const jobId = await gateway.submit();
    gateway.services.transcripts.set(jobId, { header: transcription.TranscriptHeader.fromPartial({ language: 'en' }), pages: [] });
    await gateway.call('GET', `/transcriptions/${jobId}/transcript?format=srt&max_duration=48.73851234567891&min_duration=1.0004`);
    expect(gateway.services.rendered.at(-1)).toMatchObject({ maxDuration: 48.739, minDuration: 1 });
  });

  it('every wrong filter is named, in words of ours', async () => {
    const query = ['metadata[a b]=1', 'metadata[]=2', 'metadata[__proto__]=3', 'metadata[constructor]=4', 'metadata[ok]=5', 'metadata[twice]=6', 'metadata[twice]=7', `metadata[long]=${'x'.repeat(513)}`, 'metadata[nul]=%00', 'created_after=now', 'colour=red'];
    const answer = await problem(`/transcriptions?${query.join('&')}`);
    expect(places(answer)).toEqual([
      '?colour unknown_field',
      '?created_after invalid_format',
      '?metadata[] invalid_format',
      '?metadata[__proto__] invalid_format',
      '?metadata[a b] invalid_format',
      '?metadata[constructor] invalid_format',
      '?metadata[long] too_long',
      '?metadata[nul] invalid_text',
      '?metadata[twice] invalid_type',
    ]);
    expect(JSON.stringify(answer)).not.toMatch(/Invalid (?:ISO|string|input)|pattern/);
    for (const path of ['metadata=x', 'metadata=x&metadata[a]=1', 'metadata=:x', 'metadata=a:1&metadata=x']) expect(places(await problem(`/transcriptions?${path}`))).toEqual(['?metadata invalid_format']);
  });

  it('a page is found with a slash behind it', async () => {
    for (const path of ['/docs/', '/docs/?x', '/problems/']) expect((await fetch(`${gateway.url}${path}`)).status).toBe(200);
  });

  const overSocket = (...pieces: string[]) =>
    new Promise<{ head: string; problem: Problem & { request_id: string } }>((resolve, reject) => {
      let text = '';
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1').on('error', reject);
      socket.on('data', (bytes) => (text += bytes.toString()));
      socket.on('close', () => {
        const [head = '', body = ''] = text.split('\r\n\r\n');
        resolve({ head, problem: JSON.parse(body.replace(/^[0-9a-f]+\r\n|\r\n0$/g, '')) as Problem & { request_id: string } });
      });
      for (const piece of pieces) socket.write(piece);
    });

  it('what is no HTTP has a problem with an id too', async () => {
    for (const [text, status, code] of [
      ['HELLO\r\n\r\n', 400, 'malformed_request'],
      ['CONNECT example.org:443 HTTP/1.1\r\nhost: example.org\r\n\r\n', 400, 'malformed_request'],
      ['GET / HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'malformed_request'],
      [`GET / HTTP/1.1\r\nhost: x\r\nlong: ${'x'.repeat(132_000)}\r\n\r\n`, 431, 'head_too_large'],
    ] as const) {
      const { head, problem } = await overSocket(text);
      expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*application/problem\\+json`));
      expect(problem).toMatchObject({ status, code, request_id: expect.stringMatching(/^req_/) });
      expect(head.toLowerCase()).toContain(`x-request-id: ${problem.request_id}`);
    }
  });

  it('an expectation that nobody knows is none', async () => {
    const { head, problem } = await overSocket('GET /api/v1/account HTTP/1.1\r\nhost: x\r\nexpect: a-miracle\r\nconnection: close\r\n\r\n');
    expect([head.split('\r\n')[0], problem.code]).toEqual(['HTTP/1.1 401 Unauthorized', 'unauthenticated']);
  });

  it('an older client need not name the host', async () => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.write('GET /health/live HTTP/1.0\r\n\r\n');
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200/);
    socket.destroy();
  });

  describe('an upload that stands still', () => {
    const BEGUN = {
      'its file': '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nx',
      'a field': '--b\r\ncontent-disposition: form-data; name="language"\r\n\r\ne',
      nothing: '',
    };
    type Place = keyof typeof BEGUN;
    const places = Object.keys(BEGUN) as Place[];
    const answers = {} as Record<Place, Awaited<ReturnType<typeof overSocket>>>;

    // Each waits to be told: all at the same time.
    beforeAll(async () => {
      const head = `POST /api/v1/transcriptions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.apiKey}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 900\r\n\r\n`;
      await Promise.all(places.map(async (place) => void (answers[place] = await overSocket(head, BEGUN[place]))));
    });

    it.each(places)('in %s is told so', (place) => {
      const { head, problem } = answers[place];
      expect(head).toMatch(/^HTTP\/1\.1 408 /);
      expect(problem).toMatchObject({ code: 'request_timeout', retryable: true });
    });
  });
});
