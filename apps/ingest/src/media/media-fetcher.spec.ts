import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { createEgress } from '@parlance/egress';
import { outageOf } from '@parlance/platform';
import { openMediaStore, type MediaStore } from '@parlance/storage';
import { mediaServer, rawServer, sendRange } from '../../test/media-server.js';
import { keysUnder, readObject } from '../../test/stored-objects.js';
import type { FetchLimits } from './fetch-limits.js';
import { createMediaFetcher, type FetchOptions } from './media-fetcher.js';

const egress = createEgress({ allow: ['127.0.0.1'] });
afterAll(() => egress.close());

const QUICK: Partial<FetchLimits> = { initialBackoffMs: 1, maxBackoffMs: 2, maxRetryAfterMs: 5 };
/** Two tries without a byte end the fetch. */
const SILENCE: Partial<FetchLimits> = { stallMs: 500, silenceMs: 900 };
/** A slow machine still connects, and its bytes come. */
const LONG_SILENCE: Partial<FetchLimits> = { stallMs: 2000, silenceMs: 3600 };
const KEY = 'acc_1/job_1/source';

let folder: string;
let store: MediaStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parlance-fetch-'));
  store = await openMediaStore(`file:${folder}`);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function fetching(url: string, limits: Partial<FetchLimits> = {}, options: FetchOptions = {}) {
  const fetcher = createMediaFetcher({ egress, store, limits: { ...QUICK, ...limits } });
  const result = await fetcher.fetchInto(KEY, url, options).catch(async (error: unknown) => {
    expect(await keysUnder(store, 'acc_1/')).toEqual([]);
    throw error;
  });
  return { result, content: await readObject(store, KEY) };
}

const failing = (url: string, limits?: Partial<FetchLimits>) => fetching(url, limits).then(
  () => undefined,
  (error: unknown) => error,
);

const withCode = (code: string, more = {}) => expect.objectContaining({ code, ...more });
const content = randomBytes(200_000);

describe('a fetch', () => {
  it('stores what the server sends and reports on the way', async () => {
    await using server = await mediaServer((request, response) => sendRange(request, response, content));
    const progress: unknown[] = [];
    const fetched = await fetching(server.url, {}, { onProgress: (now) => progress.push(now) });
    expect(fetched.content.equals(content)).toBe(true);
    expect(fetched.result.sizeBytes).toBe(content.length);
    expect(progress.at(-1)).toEqual({ receivedBytes: content.length, totalBytes: content.length });
  });

  it('takes a body without a stated length', async () => {
    await using server = await mediaServer((_request, response) => void (response.write(content), response.end()));
    expect((await fetching(server.url)).content.equals(content)).toBe(true);
  });

  test.each([
    ['a strong ETag', { etag: '"v1"' }, '"v1"'],
    ['a settled Last-Modified', { 'last-modified': 'Wed, 01 Jan 2025 00:00:00 GMT' }, 'Wed, 01 Jan 2025 00:00:00 GMT'],
  ])('goes on where the connection broke, guarded by %s', async (_name, headers, validator) => {
    const ifRange: unknown[] = [];
    await using server = await mediaServer((request, response) => {
      ifRange.push(request.headers['if-range']);
      sendRange(request, response, content, { breakAfter: 60_000, headers });
    });
    expect((await fetching(server.url)).content.equals(content)).toBe(true);
    expect(server.ranges.slice(0, 2)).toEqual([undefined, expect.stringMatching(/^bytes=\d+-$/)]);
    expect(new Set(ifRange.slice(1))).toEqual(new Set([validator]));
  });

  it('goes on after a server that falls silent', async () => {
    await using server = await mediaServer((request, response, nth) => {
      if (nth > 1) return sendRange(request, response, content, { headers: { etag: '"v1"' } });
      response.writeHead(200, { 'content-length': content.length, etag: '"v1"' });
      return void response.write(content.subarray(0, 1000));
    });
    expect((await fetching(server.url, { stallMs: 2000 })).content.equals(content)).toBe(true);
    expect(server.ranges).toEqual([undefined, 'bytes=1000-']);
  });

  test.each([
    ['without a validator', {}],
    ['with a weak one', { etag: 'W/"v1"' }],
    ['with a date of this very second', { 'last-modified': new Date(Date.now() + 86_400_000).toUTCString() }],
  ])('begins again %s', async (_name, headers) => {
    await using server = await mediaServer((request, response, nth) => sendRange(request, response, content, { headers, ...(nth === 1 ? { breakAfter: 5000 } : {}) }));
    expect((await fetching(server.url)).content.equals(content)).toBe(true);
    expect(server.ranges).toEqual([undefined, undefined]);
  });

  it('begins again when the media has changed meanwhile', async () => {
    const changed = randomBytes(150_000);
    await using server = await mediaServer((_request, response, nth) => {
      const now = nth === 1 ? content : changed;
      response.writeHead(200, { 'content-length': now.length, etag: `"v${Math.min(nth, 2)}"` });
      if (nth === 1) response.write(now.subarray(0, 5000), () => response.destroy());
      else response.end(now);
    });
    expect((await fetching(server.url)).content.equals(changed)).toBe(true);
  });

  it('believes no range but the one it asked for', async () => {
    await using server = await mediaServer((request, response, nth) => {
      if (nth !== 2) return sendRange(request, response, content, { headers: { etag: '"v1"' }, ...(nth === 1 ? { breakAfter: 5000 } : {}) });
      return void response.writeHead(206, { 'content-range': `bytes 0-${content.length - 1}/${content.length}` }).end(content);
    });
    expect((await fetching(server.url)).content.equals(content)).toBe(true);
  });

  it('puts together the parts of a server that gives only a piece at a time', async () => {
    await using server = await mediaServer((request, response, nth) => {
      if (nth === 1) return sendRange(request, response, content, { breakAfter: 5000, headers: { etag: '"v1"' } });
      const start = Number(/\d+/.exec(request.headers.range ?? '')?.[0]);
      const part = content.subarray(start, start + 50_000);
      return void response.writeHead(206, { 'content-range': `bytes ${start}-${start + part.length - 1}/${content.length}` }).end(part);
    });
    expect((await fetching(server.url)).content.equals(content)).toBe(true);
  });

  test.each([429, 500, 503])('tries again after %s', async (status) => {
    await using server = await mediaServer((request, response, nth) =>
      nth < 3 ? void response.writeHead(status, { 'retry-after': '1' }).end() : sendRange(request, response, content),
    );
    expect((await fetching(server.url)).content.equals(content)).toBe(true);
  });

  it('sends the headers of its caller to the origin of its URL alone, also after redirects', async () => {
    const seen: [string, string | undefined, string | undefined][] = [];
    const headers = { Authorization: 'Bearer secret', 'User-Agent': 'caller' };
    const note = (at: string, request: { headers: Record<string, string | string[] | undefined> }) => seen.push([at, String(request.headers.authorization), String(request.headers['user-agent'])]);
    let origin = '';
    await using other = await mediaServer((request, response) => {
      note('other', request);
      response.writeHead(302, { location: `${origin}/back` }).end();
    });
    await using server = await mediaServer((request, response) => {
      note(request.url ?? '', request);
      if (request.url === '/back') return sendRange(request, response, content);
      response.writeHead(302, { location: request.url === '/first' ? '/second' : other.url }).end();
    });
    origin = new URL(server.url).origin;
    expect((await fetching(`${origin}/first`, {}, { headers })).content.equals(content)).toBe(true);
    expect(seen).toEqual([['/first', 'Bearer secret', 'caller'], ['/second', 'Bearer secret', 'caller'], ['other', 'undefined', 'Parlance'], ['/back', 'undefined', 'Parlance']]);
  });

  it.each([401, 403])('with headers that the server refuses with %i is media_unauthorized', async (status) => {
    await using server = await mediaServer((_request, response) => void response.writeHead(status).end());
    await expect(fetching(server.url, {}, { headers: { 'X-Key': 'wrong' } })).rejects.toEqual(withCode('media_unauthorized', { retryable: false }));
    expect(await failing(server.url)).toEqual(withCode('media_unreachable', { retryable: false }));
  });

  it('follows redirects, each from where it stands', async () => {
    await using server = await mediaServer((request, response) =>
      request.url === '/b/c?token=x' ? sendRange(request, response, content) : void response.writeHead(302, { location: request.url === '/talk.mp3' ? '/b/a' : 'c?token=x' }).end(),
    );
    expect((await fetching(server.url)).content.equals(content)).toBe(true);
  });
});

/** Every redirect is checked like the first URL; here each comes behind another. */
const REDIRECTS = [302, 307].flatMap((status) =>
  [
    'http://127.0.0.2/', 'http://localhost.:22/', 'http://[::1]/', 'http://2130706434/', 'http://0xa9fea9fe/', 'http://169.254.169.254/latest/meta-data/', 'http://168.63.129.16/machine?comp=goalstate',
    'http://100.100.100.200/', 'http://192.0.0.192/', 'http://[fd00:ec2::254]/', 'http://[::ffff:169.254.169.254]/', 'http://[64:ff9b::a9fe:a9fe]/', 'http://[fe80::1]/', '//10.0.0.1/', 'https://wireserver.example/', 'http://8.8.8.8:6379/',
  ].map((location): [number, string] => [status, location]),
);

describe('a fetch fails with', () => {
  it('media_unreachable after one try when the server says no', async () => {
    await using server = await mediaServer((_request, response) => void response.writeHead(404).end('no such thing'));
    expect(await failing(server.url)).toEqual(withCode('media_unreachable', { retryable: false, message: 'The media server answered 404.' }));
    expect(server.ranges).toHaveLength(1);
  });

  it('media_unreachable when the server is out of order for good', async () => {
    await using server = await mediaServer((_request, response) => void response.writeHead(503).end());
    expect(await failing(server.url, { maxTries: 3 })).toEqual(withCode('media_unreachable', { retryable: true }));
    expect(server.ranges).toHaveLength(3);
  });

  it('media_unreachable when nobody listens', async () => {
    const server = await mediaServer(() => undefined);
    await server[Symbol.asyncDispose]();
    expect(await failing(server.url)).toEqual(withCode('media_unreachable'));
  });

  it('an outage, which is waited for, after one try when the proxy of the operator is away', async () => {
    const url = 'http://127.0.0.1:1';
    const throughProxy = createEgress({ allow: ['127.0.0.1'], proxy: { url } });
    const failure = await createMediaFetcher({ egress: throughProxy, store, limits: QUICK }).fetchInto(KEY, url).catch((error: unknown) => error);
    await throughProxy.close();
    expect(outageOf(failure)).toEqual(withCode('service_unavailable', { retryable: true }));
  });

  it('media_unreachable when redirects go round in circles', async () => {
    await using server = await mediaServer((_request, response) => void response.writeHead(307, { location: '/talk.mp3' }).end());
    expect(await failing(server.url)).toEqual(withCode('media_unreachable'));
    expect(server.ranges).toHaveLength(6);
  });

  test.each(['ftp://example.com/a', 'file:///etc/passwd', 'http://user:secret@127.0.0.1/'])('media_unreachable when redirected to %s', async (location) => {
    await using server = await mediaServer((_request, response) => void response.writeHead(302, { location }).end());
    expect(await failing(server.url)).toEqual(withCode('media_unreachable', { message: expect.not.stringContaining('secret') }));
  });

  test.each(['http://169.254.169.254/latest/meta-data/', 'http://[fd00:ec2::254]/', 'http://0xa9fea9fe/', 'http://10.0.0.1/', 'http://localhost.:1/x'])(
    'address_forbidden when redirected to %s',
    async (location) => {
      const strict = createEgress({ allow: ['127.0.0.1'], lookup: (_name, _options, callback) => callback(null, [{ address: '10.0.0.1', family: 4 }]) });
      await using server = await mediaServer((_request, response) => void response.writeHead(302, { location: location.replace('localhost.:1', 'intranet.example') }).end());
      const fetcher = createMediaFetcher({ egress: strict, store, limits: QUICK });
      await expect(fetcher.fetchInto(KEY, server.url)).rejects.toEqual(withCode('address_forbidden', { message: expect.not.stringMatching(/\d/) }));
      await strict.close();
    },
  );

  it('media_too_large by the stated length, before a byte is read', async () => {
    await using server = await mediaServer((_request, response) => void response.writeHead(200, { 'content-length': '2000000' }).write('x'));
    expect(await failing(server.url, { maxBytes: 1_000_000 })).toEqual(withCode('media_too_large', { retryable: false }));
    expect(server.ranges).toHaveLength(1);
  });

  it('media_too_large when an unstated length passes the cap', async () => {
    await using server = await mediaServer((_request, response) => void (response.write(content), response.write(content)));
    expect(await failing(server.url, { maxBytes: 250_000 })).toEqual(withCode('media_too_large'));
  });

  it('the same error whether a port is closed, resets, says nothing or speaks another protocol', async () => {
    await using silent = await mediaServer(() => undefined);
    await using resetting = await mediaServer(({ socket }) => void socket.resetAndDestroy());
    await using foreign = await rawServer('SSH-2.0-OpenSSH_9.2\r\n');
    const closed = await mediaServer(() => undefined);
    await closed[Symbol.asyncDispose]();
    for (const { url } of [silent, resetting, foreign, closed]) {
      expect(await failing(url, SILENCE)).toEqual(withCode('media_unreachable', { retryable: true, message: 'The media server did not respond.' }));
    }
    expect(silent.ranges.length).toBeGreaterThan(1);
    expect(await failing(silent.url, { totalMs: 30 })).toEqual(withCode('media_unreachable', { message: 'The media server did not respond.' }));
  });

  test.each(REDIRECTS)('address_forbidden when redirected by %i to %s', async (status, location) => {
    const strict = createEgress({ allow: ['127.0.0.1'], lookup: (_name, _options, callback) => callback(null, [{ address: '168.63.129.16', family: 4 }]) });
    await using server = await mediaServer(({ url }, response) => void response.writeHead(status, { location: url === '/talk.mp3' ? '/again' : location }).end());
    await expect(createMediaFetcher({ egress: strict, store, limits: QUICK }).fetchInto(KEY, server.url)).rejects.toEqual(withCode('address_forbidden'));
    expect(server.ranges).toHaveLength(2);
    await strict.close();
  });

  it('media_timeout when the server falls silent at the same byte each time', async () => {
    await using server = await mediaServer((request, response) => {
      response.writeHead(request.headers.range ? 206 : 200, { etag: '"v1"', 'content-length': request.headers.range ? 900 : 1000, ...(request.headers.range ? { 'content-range': 'bytes 100-999/1000' } : {}) });
      if (request.headers.range) response.flushHeaders();
      else response.write(content.subarray(0, 100));
    });
    expect(await failing(server.url, LONG_SILENCE)).toEqual(withCode('media_timeout'));
  });

  it('media_timeout when a trickle takes too long in all', async () => {
    await using server = await mediaServer((_request, response) => {
      const drip = setInterval(() => response.write('x'), 5);
      response.on('close', () => clearInterval(drip));
    });
    expect(await failing(server.url, { totalMs: 1500 })).toEqual(withCode('media_timeout'));
  });

  it('media_empty for no content', async () => {
    await using none = await mediaServer((_request, response) => void response.writeHead(204).end());
    await using zero = await mediaServer((_request, response) => void response.writeHead(200, { 'content-length': '0' }).end());
    await using chunked = await mediaServer((_request, response) => void response.writeHead(200, { 'transfer-encoding': 'chunked' }).end());
    for (const { url } of [none, zero, chunked]) expect(await failing(url)).toEqual(withCode('media_empty'));
  });

  it('media_unsupported for an answer that is compressed all the same', async () => {
    await using server = await mediaServer((_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(content));
    expect(await failing(server.url)).toEqual(withCode('media_unsupported'));
  });

  it('media_unreachable when the stated length never comes', async () => {
    await using server = await rawServer('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort');
    expect(await failing(server.url)).toEqual(withCode('media_unreachable'));
  });

  it('media_unreachable when the answer is not HTTP', async () => {
    await using server = await rawServer('SSH-2.0-OpenSSH_9.2\r\n');
    expect(await failing(server.url)).toEqual(withCode('media_unreachable'));
  });

  it('the reason of an abort, at once', async () => {
    const abort = new AbortController();
    await using server = await mediaServer((_request, response) => {
      response.write('begin');
      abort.abort(new Error('canceled by the caller'));
    });
    await expect(fetching(server.url, {}, { signal: abort.signal })).rejects.toThrow('canceled by the caller');
  });

  it("the store's own error, without another try", async () => {
    await using server = await mediaServer((request, response) => sendRange(request, response, content));
    store.put = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }));
    await expect(createMediaFetcher({ egress, store, limits: QUICK }).fetchInto(KEY, server.url)).rejects.toThrow('full');
  });
});

it('takes an answer that is longer than it states for what it states', async () => {
  await using server = await rawServer('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nshortand much more');
  expect((await fetching(server.url)).content.toString()).toBe('short');
});
