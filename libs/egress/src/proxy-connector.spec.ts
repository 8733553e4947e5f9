import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isOutage, outageOf } from '@parlance/platform';
import { closeWithConnections } from './close-with-connections.fixture.js';
import { createEgress, type Egress } from './egress.js';
import { FORBIDDEN_NAMES, FORBIDDEN_RECEIVERS, FORBIDDEN_URLS } from './forbidden-targets.fixture.js';
import { noAnswerReason } from './no-answer.js';
import { scriptedLookup } from './scripted-lookup.fixture.js';

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
const forbidden = expect.objectContaining({ code: 'address_forbidden' });

describe('an egress with a proxy', () => {
  let proxy: Server;
  let target: Server;
  let asked: { authority: string | undefined; authorization: string | undefined }[];
  let hosts: (string | undefined)[];
  let egress: Egress | undefined;
  let opened: AsyncDisposableStack;

  beforeEach(async () => {
    opened = new AsyncDisposableStack();
    asked = [];
    hosts = [];
    target = createServer(({ headers }, response) => {
      hosts.push(headers.host);
      response.end('here');
    }).listen(0, '127.0.0.1');
    // A proxy that tunnels to the loopback, whatever the address: the tests have no public server.
    proxy = createServer().on('connect', (request: IncomingMessage, client: Socket) => {
      asked.push({ authority: request.url, authorization: request.headers['proxy-authorization'] });
      const upstream = connect(Number(new URL(`http://${request.url}`).port), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.pipe(client).pipe(upstream);
      });
      upstream.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
      client.on('error', () => upstream.destroy());
    });
    for (const server of [target, proxy]) opened.defer(closeWithConnections(server));
    await Promise.all([once(target, 'listening'), once(proxy.listen(0, '127.0.0.1'), 'listening')]);
  });
  afterEach(async () => {
    await egress?.close();
    await opened.disposeAsync();
  });

  const through = (answers: string[][], options: Partial<Parameters<typeof createEgress>[0]> = {}) =>
    (egress = createEgress({
      allow: [],
      ports: [portOf(target)],
      lookup: scriptedLookup({ 'media.example': answers }),
      proxy: { url: `http://user:pass%40word@127.0.0.1:${portOf(proxy)}` },
      ...options,
    }));

  it('names the address that was checked in CONNECT, and keeps the name in the request', async () => {
    const { body } = await through([['10.0.0.1', '93.184.215.14'], ['127.0.0.1']]).request(`http://media.example:${portOf(target)}/a`, { method: 'GET' });
    expect(await body.text()).toBe('here');
    expect(asked).toEqual([{ authority: `93.184.215.14:${portOf(target)}`, authorization: `Basic ${Buffer.from('user:pass@word').toString('base64')}` }]);
    expect(hosts).toEqual([`media.example:${portOf(target)}`]);
  });

  it('names an IPv6 address in brackets, and posts webhooks the same way', async () => {
    const options = { method: 'POST' as const, headers: {}, body: '{}', timeoutMs: 5_000, maxBytes: 100 };
    const answer = await through([['2606:4700::1111']]).exchange(`http://media.example:${portOf(target)}/hook`, options);
    expect([answer.statusCode, asked[0]?.authority]).toEqual([200, `[2606:4700::1111]:${portOf(target)}`]);
  });

  it('names the host where the proxy needs it, once its addresses were checked', async () => {
    const proxyUrl = { url: `http://127.0.0.1:${portOf(proxy)}`, target: 'name' as const };
    const url = `http://media.example:${portOf(target)}/`;
    await (await through([['93.184.215.14'], ['10.0.0.1']], { proxy: proxyUrl }).request(url, { method: 'GET' })).body.dump();
    expect(asked).toEqual([{ authority: `media.example:${portOf(target)}`, authorization: undefined }]);
    await egress!.close();
    await expect(through([['10.0.0.1']], { proxy: proxyUrl }).request(url, { method: 'GET' })).rejects.toEqual(forbidden);
  });

  it('keeps the name in TLS', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parlance-proxy-'));
    const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=other', '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' });
    const names: string[] = [];
    const secure = createTlsServer({ key: readFileSync(keyFile), cert: readFileSync(certFile), SNICallback: (name, done) => void (names.push(name), done(null)) });
    secure.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
    opened.defer(closeWithConnections(secure));
    await once(secure, 'listening');
    rmSync(folder, { recursive: true });
    const failure = await through([['93.184.215.14']], { ports: [portOf(secure)] }).request(`https://media.example:${portOf(secure)}/`, { method: 'GET' }).catch((error: unknown) => error);
    expect([names, asked[0]?.authority, noAnswerReason(failure)]).toEqual([['media.example'], `93.184.215.14:${portOf(secure)}`, 'untrusted_certificate']);
  });

  it('never asks the proxy for a forbidden target', async () => {
    const guarded = createEgress({ allow: [], lookup: scriptedLookup(FORBIDDEN_NAMES), proxy: { url: `http://127.0.0.1:${portOf(proxy)}` } });
    const targets = [...FORBIDDEN_URLS, ...FORBIDDEN_RECEIVERS, ...Object.keys(FORBIDDEN_NAMES).map((name) => `http://${name}/`)];
    const outcomes = await Promise.all(targets.map((url) => guarded.request(url, { method: 'GET' }).then(() => 'reached', (error: { code?: string }) => error.code)));
    expect([new Set(outcomes), asked]).toEqual([new Set(['address_forbidden', 'invalid_url']), []]);
    await guarded.close();
  });

  const failureOf = (answer: Promise<unknown>) => answer.then(() => 'answered', (error: unknown) => error);

  it.each(['502 Bad Gateway', '503 Service Unavailable', '504 Gateway Timeout', '403 Forbidden'])('fails as if the server did not answer, when the proxy answers %s to CONNECT', async (status) => {
    proxy.removeAllListeners('connect').on('connect', (_request, client: Socket) => void client.end(`HTTP/1.1 ${status}\r\n\r\n`));
    const failure = await failureOf(through([['93.184.215.14']]).request(`http://media.example:${portOf(target)}/`, { method: 'GET' }));
    expect([noAnswerReason(failure), (failure as { statusCode?: number }).statusCode, isOutage(failure)]).toEqual(['no_answer', Number(status.slice(0, 3)), false]);
  });

  it('fails as if the server did not answer, when the proxy gets no answer from it', async () => {
    proxy.removeAllListeners('connect').on('connect', (_request, client: Socket) => void client.on('error', () => undefined));
    const failure = await failureOf(through([['93.184.215.14']], { connectTimeoutMs: 2000 }).request(`http://media.example:${portOf(target)}/`, { method: 'GET' }));
    expect([noAnswerReason(failure), isOutage(failure)]).toEqual(['no_answer', false]);
  });

  // The target was never asked, so nothing is known of it.
  it.each<[string, (client: Socket) => unknown]>([
    ['wants other credentials', (client) => client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')],
    ['closes the connection', (client) => client.end()],
    ['resets the connection', (client) => client.resetAndDestroy()],
    ['speaks another protocol', (client) => client.end('SSH-2.0-OpenSSH_9.6\r\n')],
  ])('is an outage, which is waited for, when the proxy %s', async (_case, answer) => {
    proxy.removeAllListeners('connect').on('connect', (_request, client: Socket) => void answer(client));
    const url = `http://media.example:${portOf(target)}/`;
    const failure = await failureOf(through([['93.184.215.14', '93.184.215.15']]).request(url, { method: 'GET' }));
    expect([isOutage(failure), outageOf(failure)]).toEqual([true, expect.objectContaining({ code: 'service_unavailable', retryable: true })]);
  });

  it('is an outage when the proxy is away or its name is unknown, for media and for webhooks', async () => {
    const post = { method: 'POST' as const, headers: {}, body: '{}', timeoutMs: 5_000, maxBytes: 100 };
    const address = `http://media.example:${portOf(target)}/`;
    for (const url of ['http://127.0.0.1:1', 'https://127.0.0.1:1', 'http://proxy.invalid:3128']) {
      await using away = new AsyncDisposableStack();
      const guarded = through([['93.184.215.14']], { proxy: { url } });
      away.defer(() => guarded.close());
      const failures = await Promise.all([guarded.request(address, { method: 'GET' }), guarded.exchange(address, post)].map(failureOf));
      expect([url, ...failures.map(isOutage)]).toEqual([url, true, true]);
    }
  });
});
