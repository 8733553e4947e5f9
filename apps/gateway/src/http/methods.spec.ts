import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { completed } from '../../test/job-messages.js';
import { ROUTE_TABLE } from '../docs/route-table.js';

const PAGES = ['/', '/docs', '/openapi.json', '/problems', '/problems/not_found', '/health/live', '/health/ready', '/health/dependencies', '/metrics', '/docs/swagger-ui.css', '/docs/start.js', '/console.js', '/console.css'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

describe('on every route', () => {
  let gateway: GatewayHarness;
  let jobId: string;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    jobId = await gateway.submit();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const paths = new Set([...ROUTE_TABLE.map(({ path }) => path), ...PAGES]);
  /** `…/speakers/merge` is the place of a speaker as well. */
  const isPlaceOf = (path: string, pattern: string) => new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
  const allowedOn = (path: string) => {
    const methods = new Set<string>(PAGES.includes(path) ? ['GET'] : ROUTE_TABLE.filter((route) => isPlaceOf(path, route.path)).map(({ method }) => method));
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods.add('OPTIONS')].toSorted().join(', ');
  };

  it('OPTIONS says which methods there are, without a key, and each other is 405 that says it too', async () => {
    for (const path of paths) {
      const url = path.replace(/\{\w+\}/g, 'x');
      const options = await fetch(`${gateway.url}${url}`, { method: 'OPTIONS' });
      expect({ path, status: options.status, allow: options.headers.get('allow') }).toEqual({ path, status: 204, allow: allowedOn(path) });
      for (const method of METHODS.filter((each) => !allowedOn(path).split(', ').includes(each))) {
        const response = await gateway.fetch(url, { method });
        expect({ path, method, status: response.status, allow: response.headers.get('allow') }).toEqual({ path, method, status: 405, allow: allowedOn(path) });
      }
    }
    expect((await fetch(`${gateway.url}/api/v1/nothing`, { method: 'OPTIONS' })).status).toBe(404);
  });

  it('OPTIONS * says which methods the server has at all', async () => {
    const { hostname, port } = new URL(gateway.url);
    const answered = once(httpRequest({ hostname, port, method: 'OPTIONS', path: '*' }).end(), 'response') as Promise<[IncomingMessage]>;
    const [response] = await answered;
    response.resume();
    expect([response.statusCode, response.headers.allow]).toEqual([204, 'DELETE, GET, HEAD, OPTIONS, PATCH, POST']);
  });

  it('HEAD answers as GET does, with nothing in it', async () => {
    gateway.services.change(jobId, completed);
    const own = [`/api/v1/transcriptions/${jobId}`, '/api/v1/transcriptions', '/api/v1/languages', '/api/v1/account', '/api/v1/keys', '/api/v1/transcriptions/job_none'];
    for (const path of [...PAGES.filter((page) => page !== '/metrics'), ...own]) {
      const [get, head] = await Promise.all(['GET', 'HEAD'].map((method) => gateway.fetch(path, { method })));
      const seen = (response: Response | undefined) => [path, response?.status, response?.headers.get('content-type'), response?.headers.get('etag')];
      expect(seen(head)).toEqual(seen(get));
      expect(await head?.text()).toBe('');
      await get?.body?.cancel();
    }
  });

  it('an ETag is that of one representation, and is asked about by any of its spellings', async () => {
    const path = `/api/v1/transcriptions/${jobId}`;
    const tags = await Promise.all(['', '?include=words', '?include=none'].map(async (query) => (await gateway.fetch(path + query)).headers.get('etag')));
    expect(new Set(tags).size).toBe(3);
    const [tag] = tags;
    for (const asked of [tag, `"other", ${tag}`, tag?.replace('W/', ''), '*']) {
      const response = await gateway.fetch(path, { headers: { 'if-none-match': asked ?? '' } });
      expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([304, tag, '']);
    }
    expect((await gateway.fetch(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('503 says when to come again', async () => {
    gateway.services.beforeCreate = () => Promise.reject(Object.assign(new Error(), { code: 'ENOSPC' }));
    const full = await gateway.call('POST', '/transcriptions', { json: { audio_url: 'https://example.org/a.mp3' } });
    gateway.services.beforeCreate = async () => {};
    expect([full.status, full.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  });
});
