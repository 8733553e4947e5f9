import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '@parlance/platform';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { corsConfig } from './cors.js';

const ORIGIN = 'https://app.example.org';

describe('a page of another origin', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ CORS_ORIGINS: `${ORIGIN}, http://localhost:5173, app://obsidian.md`, RATE_LIMIT_PER_MINUTE: '4' });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  /** fetch does not send Origin as it is given. */
  const send = (method: string, path: string, headers: Record<string, string>) =>
    new Promise<{ status: number | undefined; headers: Record<string, string | string[] | undefined> }>((resolve, reject) => {
      const sent = request(`${gateway.url}${path}`, { method, headers }, (response) => {
        response.resume().once('end', () => resolve({ status: response.statusCode, headers: response.headers }));
      });
      sent.once('error', reject).end();
    });
  const preflight = (origin: string, path = '/api/v1/transcriptions', asked = 'authorization,content-type') =>
    send('OPTIONS', path, { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': asked });

  it('may send what it asks for in a preflight, which needs no key and counts against no limit', async () => {
    for (let count = 0; count < 10; count++) {
      const { status, headers } = await preflight(ORIGIN);
      expect(status).toBe(204);
      expect(headers).toMatchObject({ 'access-control-allow-origin': ORIGIN, 'access-control-allow-methods': 'GET, HEAD, OPTIONS, POST', 'access-control-allow-headers': expect.stringContaining('Authorization'), vary: 'Origin' });
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it('reads answers and refusals with the headers that a client needs', async () => {
    for (const [path, status] of [['/api/v1/languages', 200], ['/api/v1/transcriptions/job_none', 404], ['/api/v1/nothing', 404]] as const) {
      const answer = await send('GET', path, { origin: ORIGIN, authorization: `Bearer ${gateway.apiKey}` });
      expect([path, answer.status, answer.headers['access-control-allow-origin']]).toEqual([path, status, ORIGIN]);
      expect(String(answer.headers['access-control-expose-headers']).split(', ')).toEqual(expect.arrayContaining(['ETag', 'Location', 'Retry-After', 'RateLimit', 'X-Request-Id', 'Content-Disposition']));
    }
    expect(await send('GET', '/api/v1/languages', { origin: ORIGIN })).toMatchObject({ status: 401, headers: { 'access-control-allow-origin': ORIGIN } });
  });

  it('may be one of an application, such as Obsidian, which calls the API of OpenAI', async () => {
    const { status, headers } = await preflight('app://obsidian.md', '/v1/audio/transcriptions');
    expect([status, headers['access-control-allow-origin'], headers['access-control-allow-methods']]).toEqual([204, 'app://obsidian.md', expect.stringContaining('POST')]);
  });

  it.each(['/v1/audio/transcriptions', '/compat/deepgram/v1/listen'])('may send the headers that a vendor’s own client has, to %s', async (path) => {
    const asked = 'authorization,x-stainless-lang,x-fern-language';
    expect((await preflight(ORIGIN, path, asked)).headers['access-control-allow-headers']).toBe(asked);
    expect((await preflight(ORIGIN, '/api/v1/transcriptions', asked)).headers['access-control-allow-headers']).not.toContain('stainless');
  });

  it('reads that a vendor’s own client shall not repeat a request, which would make another job', async () => {
    const answer = await send('GET', '/v1/models', { origin: ORIGIN, authorization: `Bearer ${gateway.apiKey}` });
    expect(String(answer.headers['access-control-expose-headers']).split(', ')).toEqual(expect.arrayContaining(['X-Should-Retry', 'Retry-After', 'X-Parlance-Transcription-Id', 'DG-Request-Id']));
  });

  it('reads nothing when its origin is not configured', async () => {
    for (const origin of ['https://evil.example.org', `${ORIGIN}.evil.org`, 'http://app.example.org', 'null']) {
      const asked = await preflight(origin);
      expect([origin, asked.status, asked.headers['access-control-allow-origin'], asked.headers['access-control-allow-methods']]).toEqual([origin, 204, undefined, undefined]);
      expect(asked.headers['vary']).toBe('Origin');
    }
  });

  it('reads nothing when no origin is configured, and everything when all are', async () => {
    await using closed = await GatewayHarness.start();
    const refused = await closed.fetch('/api/v1/languages', { headers: { origin: ORIGIN } });
    expect([refused.headers.get('access-control-allow-origin'), refused.headers.get('vary')]).toEqual([null, null]);
  });

  it.each(['app://obsidian.md', 'capacitor://localhost', 'tauri://localhost', 'chrome-extension://abcdefghijklmnop'])('is configured by %s, of an application', (origin) => {
    expect(readConfig(corsConfig, { env: { CORS_ORIGINS: origin }, readFile: () => '' }).CORS_ORIGINS).toEqual([origin]);
  });

  it.each(['app.example.org', 'https://app.example.org/', 'https://app.example.org/path', 'https://APP.example.org', 'https://app.example.org:443', 'https://*.example.org', 'ftp://x'])(
    'is not configured by %s, which no browser sends as an origin',
    (origin) => {
      const read = () => readConfig(corsConfig, { env: { CORS_ORIGINS: origin }, readFile: () => '' });
      expect(read).toThrow('CORS_ORIGINS: must be origins');
    },
  );
});
