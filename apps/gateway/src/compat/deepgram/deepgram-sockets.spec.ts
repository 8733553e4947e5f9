import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/testing';
import { WebSocket } from 'ws';
import { GatewayHarness } from '../../../test/gateway-harness.js';
import { LiveReplica } from '../../../test/live-replica.js';

describe('the session of a client of another vendor’s API, which cannot connect again,', () => {
  const opened = new AsyncDisposableStack();
  let gateway: GatewayHarness;
  let replica: LiveReplica;
  beforeAll(async () => {
    gateway = opened.use(await GatewayHarness.start({ LIVE_RESUME_SECONDS: '3600' }));
    replica = opened.use(await LiveReplica.beside(gateway));
  });
  afterAll(() => opened.disposeAsync());

  const statusOf = async (id: string) => (await replica.sessions.find(id))?.status;
  const isOver = async (id: string) => ['ended', 'canceled'].includes((await statusOf(id)) ?? '');
  const open = async (path: string) => {
    const socket = new WebSocket(gateway.url.replace('http', 'ws') + path, { headers: { authorization: `Bearer ${gateway.apiKey}` } });
    socket.on('error', () => {});
    const [response] = (await once(socket, 'upgrade')) as [{ headers: Record<string, string> }];
    return { socket, id: response.headers['dg-request-id'] ?? '', closed: once(socket, 'close') };
  };
  const LISTEN = '/compat/deepgram/v1/listen?encoding=linear16&sample_rate=16000';

  it('is ended at once when the client is gone before the handshake ends', async () => {
    const client = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    let id = '';
    gateway.services.beforeCreate = async ({ jobId }) => {
      id = jobId;
      client.destroy();
      await wait(50);
    };
    client.write(`GET ${LISTEN} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nAuthorization: Token ${gateway.apiKey}\r\n\r\n`);
    await eventually('the end of the session', async () => id !== '' && isOver(id));
    gateway.services.beforeCreate = async () => {};
  });

  it('is ended at once when it is closed with an error, with the audio that came before', async () => {
    const { socket, id, closed } = await open(LISTEN);
    socket.send(Buffer.alloc(32_000));
    socket.send('{"type":"Nonsense"}');
    expect((await closed)[0]).toBe(1008);
    await eventually('the end of the session', () => isOver(id));
    expect(await replica.sessions.find(id)).toMatchObject({ acknowledged: 32_000 });
  });

  it('is ended at once when it is closed with an error, also of OpenAI’s realtime protocol', async () => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/realtime?intent=transcription`, { headers: { authorization: `Bearer ${gateway.apiKey}` } });
    const closed = once(socket, 'close');
    await once(socket, 'open');
    const before = gateway.services.created.length;
    socket.send(JSON.stringify({ type: 'input_audio_buffer.append', audio: Buffer.alloc(48_000).toString('base64') }));
    const id = await eventually('the session', () => gateway.services.created[before]?.jobId);
    // The stand-in for recognition takes only what begins as its audio does.
    expect((await closed)[0]).toBe(4415);
    await eventually('the end of the session', () => isOver(id));
  });
});
