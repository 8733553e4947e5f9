import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { get, type RequestOptions } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, silentLogger, systemClock } from '@parlance/platform';
import { eventually } from '@parlance/testing';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { HttpsCertificate } from './https-certificate.js';

const run = promisify(execFile);
const DAY_MS = 24 * 60 * 60 * 1000;

describe('the gateway with a certificate', () => {
  const opened = new AsyncDisposableStack();
  let folder: string;
  let files: { HTTPS_CERT_FILE: string; HTTPS_KEY_FILE: string };
  let gateway: GatewayHarness;
  let port: number;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-https-'));
    opened.defer(() => rm(folder, { recursive: true }));
    files = await selfSigned('first');
    gateway = opened.use(await GatewayHarness.start({ ...files, CONNECTIONS_PER_ADDRESS: '4' }));
    port = Number(new URL(gateway.url).port);
  });
  afterAll(() => opened.disposeAsync());

  async function selfSigned(name: string, days = 30): Promise<typeof files> {
    const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key];
    await run('openssl', ['req', '-x509', '-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1', '-days', String(days), ...newKey, '-out', cert]);
    return { HTTPS_CERT_FILE: cert, HTTPS_KEY_FILE: key };
  }

  async function ask(path: string, options: RequestOptions = {}): Promise<{ status: number | undefined; hsts: unknown }> {
    const ca = await readFile(files.HTTPS_CERT_FILE);
    return new Promise((resolve, reject) => {
      get(`${gateway.url}${path}`, { ca, agent: false, ...options }, (response) => {
        response.resume().on('end', () => resolve({ status: response.statusCode, hsts: response.headers['strict-transport-security'] }));
      }).on('error', reject);
    });
  }

  it('speaks HTTPS, and its answers and refusals carry Strict-Transport-Security', async () => {
    expect(gateway.url).toMatch(/^https:/);
    const hsts = 'max-age=31536000';
    expect(await ask('/health/live')).toEqual({ status: 200, hsts });
    expect(await ask('/api/v1/transcriptions')).toEqual({ status: 401, hsts });
    expect(await ask('/%')).toEqual({ status: 400, hsts });
    expect(await ask('/health/live', { headers: { cookie: 'c'.repeat(8000), 'content-type': 'a'.repeat(300) } })).toEqual({ status: 431, hsts });
  });

  it('bounds the head as without TLS', async () => {
    expect(await ask('/health/live', { headers: { cookie: 'c'.repeat(17_000) } })).toMatchObject({ status: 431 });
  });

  it('bounds the connections of an address, and forgets those that were closed', async () => {
    for (let count = 0; count < 8; count += 1) expect(await ask('/health/live')).toMatchObject({ status: 200 });
    const held = [1, 2, 3, 4].map(() => connectPlain(port, '127.0.0.1'));
    await Promise.all(held.map((socket) => once(socket, 'connect')));
    await expect(ask('/health/live')).rejects.toThrow();
    held.forEach((socket) => socket.destroy());
    await eventually('a free place', () => ask('/health/live').then(({ status }) => status === 200, () => false));
  });

  it('refuses TLS 1.1 and accepts 1.2', async () => {
    await expect(ask('/health/live', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' })).rejects.toThrow();
    expect(await ask('/health/live', { maxVersion: 'TLSv1.2' })).toMatchObject({ status: 200 });
  });

  it('closes a connection with plain HTTP without an HTTP answer', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connectPlain(port, '127.0.0.1').on('data', (bytes) => (text += bytes.toString('latin1')));
      socket.on('close', () => resolve(text)).on('error', (error: NodeJS.ErrnoException) => error.code !== 'ECONNRESET' && reject(error));
      socket.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
    });
    expect(answer).not.toContain('HTTP/');
  });

  it('uses a renewed certificate for new connections, and keeps the one before while the pair does not match', async () => {
    const [served, next] = [await selfSigned('served'), await selfSigned('renewed')];
    const certificate = HttpsCertificate.from(served, systemClock);
    if (!certificate) throw new Error('no certificate');
    const server = createServer(certificate.context).listen(0, '127.0.0.1');
    await once(server, 'listening');
    opened.defer(() => void server.close());
    const stop = certificate.follow(server, silentLogger(), 10);
    const nameOf = () =>
      new Promise<unknown>((resolve, reject) => {
        const socket: TLSSocket = connect({ port: (server.address() as { port: number }).port, rejectUnauthorized: false }, () => {
          resolve(socket.getPeerCertificate().subject.CN);
          socket.destroy();
        }).on('error', reject);
      });
    expect(await nameOf()).toBe('served');
    await copyFile(next.HTTPS_CERT_FILE, served.HTTPS_CERT_FILE);
    await sleep(100);
    expect(await nameOf()).toBe('served');
    await copyFile(next.HTTPS_KEY_FILE, served.HTTPS_KEY_FILE);
    while ((await nameOf()) === 'served') await sleep(10);
    expect(await nameOf()).toBe('renewed');
    stop();
  });

  it('tries a renewed pair again that was not valid yet, and logs each problem once', async () => {
    const served = await selfSigned('early');
    const next = await selfSigned('tomorrow');
    let now = new Date();
    let looks = 0;
    const clock = { now: () => (looks++, now) };
    const certificate = HttpsCertificate.from(served, clock);
    if (!certificate) throw new Error('no certificate');
    now = new Date(now.getTime() - DAY_MS);
    const used: unknown[] = [];
    const warnings: string[] = [];
    const destination = { write: (line: string) => void warnings.push((JSON.parse(line) as { err: { message: string } }).err.message) };
    opened.defer(certificate.follow({ setSecureContext: ({ cert }) => void used.push(cert) }, createLogger({ level: 'warn', destination }), 10));

    await copyFile(next.HTTPS_KEY_FILE, served.HTTPS_KEY_FILE);
    await copyFile(next.HTTPS_CERT_FILE, served.HTTPS_CERT_FILE);
    const before = looks;
    await eventually('five looks', () => looks > before + 5);
    expect(used).toEqual([]);
    expect(warnings.filter((warning) => /not valid before .*CN=tomorrow/.test(warning))).toHaveLength(1);

    now = new Date();
    await eventually('the renewal', () => used.length > 0);
    expect(used).toEqual([await readFile(next.HTTPS_CERT_FILE, 'utf8')]);

    warnings.length = 0;
    await rm(served.HTTPS_KEY_FILE);
    await eventually('a warning', () => warnings.length > 0);
    await sleep(100);
    expect(warnings).toEqual([expect.stringContaining('ENOENT')]);
  });

  it('does not start with half of a pair, the key of another certificate or one out of its time', async () => {
    const other = await selfSigned('other');
    const reason = (changes: Partial<typeof files>, clock = systemClock) => () => HttpsCertificate.from({ ...files, ...changes }, clock);
    expect(() => HttpsCertificate.from({ HTTPS_CERT_FILE: files.HTTPS_CERT_FILE }, systemClock)).toThrow('HTTPS_KEY_FILE: missing');
    expect(reason({ HTTPS_KEY_FILE: other.HTTPS_KEY_FILE })).toThrow('HTTPS_KEY_FILE: not the key of HTTPS_CERT_FILE');
    expect(reason({ HTTPS_CERT_FILE: join(folder, 'none') })).toThrow('HTTPS_CERT_FILE: cannot read');
    expect(reason({}, { ...systemClock, now: () => new Date('2099-01-01') })).toThrow('HTTPS_CERT_FILE: expired on');
  });
});

describe('the gateway without a certificate', () => {
  it.each([
    [{}, null],
    [{ HSTS_MAX_AGE_SECONDS: '600' }, 'max-age=600'],
  ])('with %j sends Strict-Transport-Security %s', async (settings: Record<string, string>, expected) => {
    await using gateway = await GatewayHarness.start(settings);
    expect((await gateway.fetch('/health/live')).headers.get('strict-transport-security')).toBe(expected);
  });
});
