import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/testing';
import { WebSocket } from 'ws';
import { GatewayHarness } from '../../../../test/gateway-harness.js';
import { MAGIC } from '../../../../test/stand-in-live.js';

describe('an ephemeral key of OpenAI’s realtime protocol', () => {
  let gateway: GatewayHarness;
  let page: GatewayHarness;
  let key: string;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    key = await newKey();
    page = gateway.as(key.split('.')[0] ?? '');
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const newKey = async () => {
    const response = await gateway.fetch('/v1/realtime/client_secrets', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } });
    return ((await response.json()) as { value: string }).value;
  };
  const connected = (path: string) =>
    new Promise<number>((resolve) => {
      const socket = new WebSocket(gateway.url.replace('http', 'ws') + path, ['realtime', `openai-insecure-api-key.${path.includes('realtime') ? key : ''}`], path.includes('realtime') ? {} : { headers: { authorization: `Token ${key.split('.')[0] ?? ''}` } });
      socket.once('open', () => {
        socket.close();
        resolve(101);
      });
      socket.once('unexpected-response', (_request, response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      socket.once('error', () => {});
    });

  it('opens a session of that protocol', async () => {
    expect(await connected('/v1/realtime?intent=transcription')).toBe(101);
  });

  it.each<[string, string, object]>([
    ['POST', '/api/v1/transcriptions', { audio_url: 'https://example.org/a.mp3' }],
    ['POST', '/api/v1/live', { audio: { encoding: 'pcm_s16le', sample_rate: 16_000 } }],
    ['POST', '/v1/audio/transcriptions', {}],
    ['POST', '/compat/assemblyai/v2/transcript', { audio_url: 'https://example.org/a.mp3' }],
    ['POST', '/v1/realtime/client_secrets', {}],
  ])('does not reach %s %s', async (method, path, body) => {
    const response = await page.fetch(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
    expect([response.status, gateway.services.created]).toEqual([403, []]);
  });

  it('opens no stream of another vendor’s API', async () => {
    expect(await connected('/compat/deepgram/v1/listen?encoding=linear16&sample_rate=16000')).toBe(403);
  });

  /** A connection of a page, and the code with which it ends. */
  async function open(ephemeral: string) {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/realtime`, ['realtime', `openai-insecure-api-key.${ephemeral}`]);
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const say = () => socket.send(JSON.stringify({ type: 'input_audio_buffer.append', audio: Buffer.concat([MAGIC, Buffer.alloc(9600)]).toString('base64') }));
    return { say, closed, [Symbol.dispose]: () => socket.terminate() };
  }
  const idOf = async () => (await gateway.call<{ data: { token_id: string }[] }>('GET', '/tokens')).body.data[0]?.token_id;

  it('that is revoked ends the connections that it opened, and lets none of them begin', async () => {
    const ephemeral = await newKey();
    using talking = await open(ephemeral);
    using idle = await open(ephemeral);
    const before = gateway.services.live.opened.length;
    talking.say();
    await eventually('the session', () => gateway.services.live.opened.length > before);
    const created = gateway.services.live.opened.length;
    expect((await gateway.call('DELETE', `/tokens/${await idOf()}`)).status).toBe(204);
    idle.say();
    expect([await idle.closed, await talking.closed]).toEqual([4401, 4401]);
    expect(gateway.services.live.opened.length).toBe(created);
  });

  it('has four connections at once', async () => {
    const ephemeral = await newKey();
    await using opened = new AsyncDisposableStack();
    const first = await open(ephemeral);
    for (let more = 0; more < 3; more += 1) opened.use(await open(ephemeral));
    await expect(open(ephemeral)).rejects.toThrow('429');
    opened.use(await open(await newKey()));
    first[Symbol.dispose]();
    await eventually('room for another one', () => open(ephemeral).then((fifth) => opened.use(fifth), () => false));
  });
});
