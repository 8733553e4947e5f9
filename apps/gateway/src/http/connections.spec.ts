import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/testing';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { connectionLimit } from './connection-limits.js';

describe('connections', () => {
  const opened = new AsyncDisposableStack();
  let gateway: GatewayHarness;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    gateway = opened.use(await GatewayHarness.start({ CONNECTIONS_PER_ADDRESS: '20', STREAMS_PER_KEY: '5', STREAMS_PER_ACCOUNT: '8' }));
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await eventually('room for a connection', async () => (await fetch(`${gateway.url}/health/live`).catch(() => undefined))?.ok);
  });
  afterAll(() => opened.disposeAsync());

  const open = async (from: string, text = ''): Promise<Socket> => {
    const socket = connect({ port: Number(new URL(gateway.url).port), host: '127.0.0.1', localAddress: from }).on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  };
  const answer = async (from: string): Promise<string> => {
    const socket = await open(from, 'GET /health/live HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    let text = '';
    socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
    await once(socket, 'close');
    return text.split('\r\n')[0] ?? '';
  };

  it('of one address are bounded, and other addresses are served meanwhile', async () => {
    for (let index = 0; index < 60; index++) await open('127.0.0.2', 'GET / HTTP/1.1\r\nhost: a\r\nhalf');
    await eventually('the refusals', () => sockets.filter((socket) => socket.closed).length >= 40);
    expect(sockets.filter((socket) => !socket.closed).length).toBe(20);
    expect(await answer('127.0.0.2')).toBe('');
    expect(await answer('127.0.0.3')).toBe('HTTP/1.1 200 OK');
    expect(await (await fetch(`${gateway.url}/metrics`)).text()).toMatch(/parlance_connections_refused_total\{limit="address"\} 4\d/);
  });

  it('with half a head end with 408 after ten seconds, all of them', async () => {
    const texts: string[] = [];
    for (let index = 0; index < 15; index++) (await open('127.0.0.4', 'GET / HTTP/1.1\r\nhost: a\r\nhalf')).on('data', (bytes: Buffer) => texts.push(bytes.toString()));
    await eventually('their end', () => sockets.every((socket) => socket.closed));
    expect(texts.map((text) => text.split('\r\n')[0])).toEqual(Array(15).fill('HTTP/1.1 408 Request Timeout'));
  });

  it('are four fifths of the descriptors at most', () => {
    expect([connectionLimit({ MAX_CONNECTIONS: 10_000 }, 256), connectionLimit({ MAX_CONNECTIONS: 10_000 }, 1e6), connectionLimit({ MAX_CONNECTIONS: 0 }, 1000)]).toEqual([204, 10_000, 800]);
  });

  it('hold five event streams of a key and eight of an account; the next is refused until one ends', async () => {
    const jobId = await gateway.submit();
    const { apiKey: other } = await gateway.createKey(['transcriptions:read']);
    const ends: AbortController[] = [];
    const stream = async (apiKey: string) => {
      const end = new AbortController();
      const response = await fetch(`${gateway.url}/api/v1/transcriptions/${jobId}/events`, { headers: { authorization: `Bearer ${apiKey}` }, signal: end.signal });
      if (response.ok) ends.push(end);
      return response;
    };
    const statuses = async (apiKey: string, count: number) => {
      const all: number[] = [];
      for (let index = 0; index < count; index++) all.push((await stream(apiKey)).status);
      return all;
    };
    expect(await statuses(gateway.apiKey, 6)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(await statuses(other, 4)).toEqual([200, 200, 200, 429]);
    const refused = await stream(other);
    expect([refused.headers.get('retry-after'), await refused.json()]).toEqual(['60', expect.objectContaining({ code: 'too_many_streams', retryable: true })]);
    expect((await gateway.call('GET', `/transcriptions/${jobId}`)).status).toBe(200);
    ends.pop()?.abort();
    await eventually('room for a stream', async () => (await stream(other)).ok);
    for (const end of ends) end.abort();
  });
});
