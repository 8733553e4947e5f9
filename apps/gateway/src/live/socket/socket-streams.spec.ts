import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/testing';
import { LiveClient } from '@parlance/testing/live-client';
import { WebSocket } from 'ws';
import { GatewayHarness } from '../../../test/gateway-harness.js';

describe('the sockets of a key', () => {
  let gateway: GatewayHarness;
  const sockets: WebSocket[] = [];
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ STREAMS_PER_KEY: '2' });
  });
  afterEach(async () => {
    const open = sockets.splice(0).filter(({ readyState }) => readyState !== WebSocket.CLOSED);
    await Promise.all(open.map((socket) => (socket.terminate(), once(socket, 'close').catch(() => {}))));
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const connect = (path: string, headers: Record<string, string>) => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}${path}`, { headers });
    sockets.push(socket);
    socket.on('error', () => {});
    return socket;
  };
  const realtime = () => connect('/v1/realtime?intent=transcription', { authorization: `Bearer ${gateway.apiKey}` });
  const deepgram = () => connect('/compat/deepgram/v1/listen?encoding=linear16&sample_rate=16000', { authorization: `Token ${gateway.apiKey}` });
  const native = async () => {
    const { url, token } = (await gateway.call<{ url: string; token: string }>('POST', '/live', { json: { audio: { encoding: 'pcm_s16le', sample_rate: 16_000 } } })).body;
    const client = LiveClient.open(url, ['parlance.v1', `token.${token}`]);
    sockets.push(client.socket);
    return client;
  };
  /** @returns the status of the answer, or 101 */
  const statusOf = (socket: WebSocket) => Promise.race([once(socket, 'open').then(() => 101), once(socket, 'unexpected-response').then(([, { statusCode }]) => Number(statusCode))]);

  it('count as its streams without any audio, in all protocols together, until they are closed', async () => {
    const first = realtime();
    expect(await statusOf(first)).toBe(101);
    expect(await statusOf(deepgram())).toBe(101);
    expect(await statusOf(realtime())).toBe(429);
    expect(await statusOf(deepgram())).toBe(429);
    const refused = await native();
    expect(await refused.closed).toMatchObject({ code: 4429, reason: 'too_many_streams' });
    first.terminate();
    await eventually('the place to be free', async () => (await statusOf(realtime())) === 101);
  });

  it('count once each, also when the session of a socket begins later', async () => {
    const clients = [await native(), await native()];
    for (const client of clients) await client.next('ready');
    expect(await statusOf(realtime())).toBe(429);
    clients[0]?.drop();
    await eventually('the place to be free', async () => (await statusOf(deepgram())) === 101);
  });
});
