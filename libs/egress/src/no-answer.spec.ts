import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithConnections } from './close-with-connections.fixture.js';
import { createEgress } from './egress.js';
import { errorCode, noAnswerReason } from './no-answer.js';

/** The behaviours of ports that a port scan distinguishes. */
const BEHAVIOURS: Record<string, (socket: Socket) => unknown> = {
  'closes at once': (socket) => socket.end(),
  'resets': (socket) => socket.resetAndDestroy(),
  'says nothing': () => undefined,
  'greets as SSH does': (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'),
  'greets as SMTP does': (socket) => socket.write('220 mail.example.org ESMTP\r\n'),
  'answers as Redis does': (socket) => socket.once('data', () => socket.write("-ERR unknown command 'GET'\r\n")),
};

describe('a server that gives no HTTP answer', () => {
  const servers: Record<string, Server> = {};
  const opened = new AsyncDisposableStack();
  const egress = createEgress({ allow: ['127.0.0.0/8'], connectTimeoutMs: 500 });
  beforeAll(async () => {
    for (const [name, behave] of Object.entries(BEHAVIOURS)) {
      servers[name] = createServer((socket) => void behave(socket.on('error', () => undefined)));
      opened.defer(closeWithConnections(servers[name]));
      await once(servers[name].listen(0, '127.0.0.1'), 'listening');
    }
  });
  afterAll(async () => {
    await egress.close();
    await opened.disposeAsync();
  });

  const reasonAt = async (url: string) => {
    const ways = [egress.request(url, { method: 'GET', headersTimeoutMs: 500 }), egress.exchange(url, { method: 'POST', headers: {}, body: '{}', timeoutMs: 500, maxBytes: 10 })];
    return (await Promise.allSettled(ways)).map((outcome) => (outcome.status === 'rejected' ? noAnswerReason(outcome.reason) : 'answered'));
  };

  it.each(Object.keys(BEHAVIOURS))('because it %s is like any other', async (name) => {
    const { port } = servers[name]!.address() as AddressInfo;
    for (const scheme of ['http', 'https']) expect(await reasonAt(`${scheme}://127.0.0.1:${port}/`)).toEqual(['no_answer', 'no_answer']);
  });

  it('because the port is closed is like any other', async () => {
    for (const scheme of ['http', 'https']) expect(await reasonAt(`${scheme}://127.0.0.1:1/`)).toEqual(['no_answer', 'no_answer']);
  });

  it('keeps its detail for the operator', async () => {
    const failure = await egress.request('http://127.0.0.1:1/', { method: 'GET' }).catch((error: unknown) => error);
    expect(errorCode(failure)).toBe('ECONNREFUSED');
    expect(errorCode(new AggregateError([Object.assign(new Error(), { code: 'EHOSTUNREACH' })]))).toBe('EHOSTUNREACH');
    expect(errorCode(new DOMException('late', 'TimeoutError'))).toBe('TimeoutError');
  });

  it.each([['ENOTFOUND', 'unknown_host'], ['EAI_AGAIN', 'unknown_host'], ['CERT_HAS_EXPIRED', 'untrusted_certificate'], ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'untrusted_certificate'], ['ERR_TLS_CERT_ALTNAME_INVALID', 'untrusted_certificate'], ['ERR_SSL_WRONG_VERSION_NUMBER', 'no_answer'], ['ENETUNREACH', 'no_answer']])(
    '%s is %s',
    (code, reason) => expect(noAnswerReason(Object.assign(new Error(), { code }))).toBe(reason),
  );
});
