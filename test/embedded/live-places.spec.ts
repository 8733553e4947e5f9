import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, ParlanceProcess, SAMPLES, type TestApi } from '@parlance/testing';
import { LiveClient } from '@parlance/testing/live-client';

const PLACES = 2;
const HELD = 6;
const PCM = execFileSync('ffmpeg', ['-v', 'error', '-t', '20', '-i', SAMPLES.meeting.path, '-ac', '1', '-ar', '16000', '-f', 's16le', '-'], { maxBuffer: 2 ** 26 });

describe('the places of live recognition', () => {
  const opened = new AsyncDisposableStack();
  let parlance: ParlanceProcess;
  beforeAll(async () => {
    parlance = opened.use(await ParlanceProcess.start({ env: { SPEECH_ENGINE_URL: 'fixture:', LIVE_STREAMS: String(PLACES) } }));
  });
  afterAll(() => opened.disposeAsync());

  async function connected(api: TestApi): Promise<LiveClient> {
    const { url, token } = (await (await api.post('/live', { language: 'en', audio: { encoding: 'pcm_s16le', sample_rate: 16_000, channels: 1 }, diarization: false, summary: false, highlights: false })).json()) as { url: string; token: string };
    return LiveClient.connect(url, token);
  }

  async function finals(client: LiveClient): Promise<number> {
    client.send(PCM);
    client.say({ type: 'finish' });
    await client.next('finished');
    return client.of('final').length;
  }

  it('are for sessions that are spoken into, of the same account and of another, however many are kept open without a word', async () => {
    const holder = await parlance.newAccount();
    const held = await Promise.all(Array.from({ length: HELD }, () => connected(holder)));
    const keptAlive = setInterval(() => {
      for (const client of held) if (client.socket.readyState === client.socket.OPEN) client.say({ type: 'keepalive' });
    }, 1000);
    try {
      await eventually('all places to be taken', async () => (await parlance.metrics()).total('parlance_live_streams') === PLACES);
      expect(await finals(held.at(-1) as LiveClient)).toBeGreaterThan(0);
      expect(await finals(await connected(parlance.api))).toBeGreaterThan(0);
      expect(await finals(held[0] as LiveClient)).toBeGreaterThan(0);
    } finally {
      clearInterval(keptAlive);
      for (const client of held) client.drop();
    }
  });
});
