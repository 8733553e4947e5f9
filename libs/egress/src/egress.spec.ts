import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { fetch } from 'undici';
import { createEgress, type Egress } from './egress.js';
import type { AddressLookup } from './permitted-lookup.js';

const forbidden = expect.objectContaining({ kind: 'invalid', code: 'address_forbidden', retryable: false });
const invalidUrl = expect.objectContaining({ kind: 'invalid', code: 'invalid_url' });

const thrownBy = (run: () => unknown): unknown => {
  try {
    return void run();
  } catch (error) {
    return error;
  }
};

/** A resolver that answers each call with the next list, and the last one from then on. */
const resolver = (...answers: string[][]): AddressLookup & { calls: number } => {
  const lookup = Object.assign(
    ((_name, _options, callback) => {
      const answer = answers[Math.min(lookup.calls++, answers.length - 1)] ?? [];
      callback(null, answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
    }) satisfies AddressLookup,
    { calls: 0 },
  );
  return lookup;
};

describe('a URL', () => {
  const egress = createEgress({ allow: [] });

  test.each([
    'http://127.0.0.1/', 'http://127.1/', 'http://2130706433/', 'http://0x7f000001/', 'http://0177.0.0.1/', 'http://127.0.0.1./',
    'http://localhost/', 'http://LOCALHOST./', 'http://a.localhost/', 'http://１２７.０.０.１/', 'http://0/', 'http://[::1]/',
    'http://[::ffff:169.254.169.254]/', 'http://169.254.169.254/latest/', 'http://[fd00:ec2::254]/', 'https://10.0.0.1:8443/',
    'http://[64:ff9b::a9fe:a9fe]/', 'http://0xa9.254.0251.254/', 'http://[::127.0.0.1]/',
  ])('to %s is refused before any look-up', (url) => expect(thrownBy(() => egress.assertAllowedUrl(url))).toEqual(forbidden));

  test.each(['ftp://example.com/a', 'file:///etc/passwd', 'gopher://example.com', 'data:audio/wav;base64,AAAA', 'nonsense', 'http://'])(
    'like %s is not http',
    (url) => expect(thrownBy(() => egress.assertAllowedUrl(url))).toEqual(invalidUrl),
  );

  it('with credentials is refused, without repeating them', () => {
    const error = thrownBy(() => egress.assertAllowedUrl('https://user:hunter2@example.com/a.mp3'));
    expect(error).toEqual(invalidUrl);
    expect((error as Error).message).not.toMatch(/hunter2|user/);
  });

  test.each(['https://example.com/a.mp3?x=1', 'http://8.8.8.8/', 'https://[2606:4700::1111]/', 'http://notlocalhost/'])('like %s passes', (url) =>
    expect(egress.assertAllowedUrl(url).href).toBe(new URL(url).href),
  );
});

describe('a connection', () => {
  let server: Server;
  let port: number;
  let hits: number;
  let egress: Egress | undefined;

  beforeEach(async () => {
    hits = 0;
    server = createServer((_request, response) => {
      hits += 1;
      response.end('here');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterEach(async () => {
    await egress?.close();
    server.close();
  });

  const get = (url: string, options: Parameters<typeof createEgress>[0]) => {
    egress = createEgress(options);
    return egress.request(url, { method: 'GET' });
  };

  it('to a name that resolves to a private address is refused', async () => {
    await expect(get(`http://media.example:${port}/`, { allow: [], lookup: resolver(['127.0.0.1']) })).rejects.toEqual(forbidden);
    await expect(get(`https://media.example:${port}/`, { allow: [], lookup: resolver(['::1', '10.0.0.1']) })).rejects.toEqual(forbidden);
    expect(hits).toBe(0);
  });

  it('goes to an allowed private address', async () => {
    const { body } = await get(`http://media.example:${port}/`, { allow: ['127.0.0.1'], lookup: resolver(['127.0.0.1']) });
    expect(await body.text()).toBe('here');
  });

  it('uses only the permitted ones of several addresses', async () => {
    const { body } = await get(`http://media.example:${port}/`, { allow: ['127.0.0.0/30'], lookup: resolver(['10.0.0.1', '169.254.169.254', '127.0.0.1']) });
    expect(await body.text()).toBe('here');
  });

  it('resolves once and goes to the address that was checked, whatever the name says a moment later', async () => {
    const rebinding = resolver(['127.0.0.1'], ['169.254.169.254']);
    const { body } = await get(`http://media.example:${port}/`, { allow: ['127.0.0.1'], lookup: rebinding });
    expect(await body.text()).toBe('here');
    expect(rebinding.calls).toBe(1);
  });

  it('through the agent alone is guarded too, for literal addresses as for names', async () => {
    egress = createEgress({ allow: [], lookup: resolver(['127.0.0.1']) });
    for (const host of ['127.0.0.1', 'media.example', '[::ffff:127.0.0.1]']) {
      await expect(fetch(`http://${host}:${port}/`, { dispatcher: egress.agent })).rejects.toMatchObject({ cause: { code: 'address_forbidden' } });
    }
    expect(hits).toBe(0);
  });

  it('that the server closes while nobody reads yet gives its answer whole (undici issue 5360)', async () => {
    const whole = Buffer.alloc(100_000, 'x');
    server.removeAllListeners('request').on('request', (request, response) => {
      if (request.url === '/whole') response.writeHead(200, { connection: 'close', 'content-length': whole.length }).end(whole);
      else response.end();
    });
    const closed = new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve)));
    const { body } = await get(`http://127.0.0.1:${port}/whole`, { allow: ['127.0.0.1'] });
    await closed;
    // Long enough a way for the end of the first connection to be heard.
    for (let trip = 0; trip < 20; trip += 1) await (await egress!.request(`http://127.0.0.1:${port}/`, { method: 'GET' })).body.text();
    expect(Buffer.from(await body.arrayBuffer()).equals(whole)).toBe(true);
  });

  it.each([20_000, 150_000, 1_300_000])('that the server closes behind its last of %i bytes without a word gives its answer whole to a slow reader', async (length) => {
    const closing = createNetServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`));
    });
    await once(closing.listen(0, '127.0.0.1'), 'listening');
    try {
      const { body } = await get(`http://127.0.0.1:${(closing.address() as AddressInfo).port}/`, { allow: ['127.0.0.1'] });
      let read = 0;
      for await (const piece of body) {
        read += (piece as Buffer).length;
        // The connection's end is heard before the next piece is asked for.
        await egress!.request(`http://127.0.0.1:${port}/`, { method: 'GET' }).then((answer) => answer.body.dump());
      }
      expect(read).toBe(length);
    } finally {
      closing.close();
    }
  });

  it('that the server breaks off is not taken for whole', async () => {
    const breaking = createNetServer((socket) => void socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nxxxxxxxxx')));
    await once(breaking.listen(0, '127.0.0.1'), 'listening');
    const { body } = await get(`http://127.0.0.1:${(breaking.address() as AddressInfo).port}/`, { allow: ['127.0.0.1'] });
    await expect(body.text()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    breaking.close();
  });
});
