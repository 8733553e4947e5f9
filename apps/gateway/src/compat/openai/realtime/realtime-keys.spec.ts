import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { GatewayHarness } from '../../../../test/gateway-harness.js';

describe('an ephemeral key of OpenAI’s realtime protocol', () => {
  let gateway: GatewayHarness;
  let page: GatewayHarness;
  let key: string;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    const response = await gateway.fetch('/v1/realtime/client_secrets', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } });
    ({ value: key } = (await response.json()) as { value: string });
    page = gateway.as(key.split('.')[0] ?? '');
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

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
});
