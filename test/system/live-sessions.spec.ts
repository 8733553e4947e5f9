import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServerMessageOf } from '@parlance/contracts';
import { SAMPLES, startParlance, type Parlance, type TestApi } from '@parlance/testing';
import { LiveClient } from '@parlance/testing/live-client';

interface Created {
  id: string;
  url: string;
  token: string;
}

const ffmpeg = (...output: string[]): Buffer => execFileSync('ffmpeg', ['-v', 'error', '-t', '20', '-i', SAMPLES.meeting.path, ...output, '-'], { maxBuffer: 2 ** 26 });
const PCM = ffmpeg('-ac', '1', '-ar', '16000', '-f', 's16le');
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const spoken = (finals: ServerMessageOf<'final'>[]) => finals.map(({ text, start, end, utterance }) => ({ text, start, end, utterance }));

let parlance: Parlance;
let api: TestApi;
beforeAll(async () => {
  parlance = await startParlance({ env: { SPEECH_ENGINE_URL: 'fixture:' } });
  api = parlance.api;
});
afterAll(() => parlance.dispose());

const create = async (body: object): Promise<Created> => {
  const response = await api.post('/live', body);
  if (response.status !== 201) throw new Error(`not created: ${await response.text()}`);
  return (await response.json()) as Created;
};
const tokenOf = async ({ id }: Created) => ((await (await api.post(`/live/${id}/tokens`, {})).json()) as { token: string }).token;
const raw = (encoding: string, rate: number, channels = 1) => ({ language: 'en', audio: { encoding, sample_rate: rate, channels } });

/** The whole session over one connection. */
async function session(body: object, audio: Buffer, frameBytes = 6400) {
  const created = await create(body);
  const client = await LiveClient.connect(created.url, created.token);
  client.send(audio, frameBytes);
  client.say({ type: 'finish' });
  await client.next('finished');
  expect(await client.closed).toEqual({ code: 1000, reason: 'finished' });
  return { id: created.id, finals: client.of('final'), audioMs: client.of('finished')[0]?.audio_ms };
}

const recordingOf = async (id: string) => Buffer.from(await (await api.request('GET', `/transcriptions/${id}/media`)).arrayBuffer());

describe('a live session', () => {
  it('becomes a job with the words that were sent, and with its recording to the byte', async () => {
    const { id, finals, audioMs } = await session(raw('pcm_s16le', 16_000), PCM);
    expect(audioMs).toBe(20_000);
    expect(finals.length).toBeGreaterThan(2);
    const job = await api.terminal(id);
    expect(job).toMatchObject({ status: 'completed', kind: 'live' });
    const words = (job.transcript?.segments ?? []).flatMap((segment) => segment.text.split(' '));
    expect(words).toEqual(finals.flatMap(({ text }) => text.split(' ')));
    expect(sha256((await recordingOf(id)).subarray(-PCM.byteLength))).toBe(sha256(PCM));
  });

  it('gives the same finals over any number of connections', async () => {
    const { finals } = await session(raw('pcm_s16le', 16_000), PCM);
    const created = await create(raw('pcm_s16le', 16_000));
    const received: ServerMessageOf<'final'>[] = [];
    let after = 0;
    let token = created.token;
    for (const part of [0.21, 0.4, 0.41, 0.7, 0.9]) {
      const client = await LiveClient.connect(created.url, token, after);
      const offset = client.of('ready')[0]?.acknowledged_offset ?? 0;
      const end = Math.floor(PCM.byteLength * part) | 1;
      client.send(PCM.subarray(offset, end), 4001);
      await client.next('ack', (ack) => ack.offset > offset);
      client.drop();
      await client.closed;
      after = Math.max(after, ...client.messages.flatMap((message) => ('seq' in message ? [message.seq] : [])));
      received.push(...client.of('final'));
      token = await tokenOf(created);
    }
    const last = await LiveClient.connect(created.url, token, after);
    last.send(PCM.subarray(last.of('ready')[0]?.acknowledged_offset));
    last.say({ type: 'finish' });
    await last.next('finished');
    received.push(...last.of('final'));
    expect(spoken(received)).toEqual(spoken(finals));
    await api.terminal(created.id);
    expect(sha256((await recordingOf(created.id)).subarray(-PCM.byteLength))).toBe(sha256(PCM));
  });

  it.each([
    ['mulaw', raw('mulaw', 8000), ['-ac', '1', '-ar', '8000', '-f', 'mulaw']],
    ['44.1 kHz stereo', raw('pcm_s16le', 44_100, 2), ['-ac', '2', '-ar', '44100', '-f', 's16le']],
    ['webm', { language: 'en', audio: { container: 'auto' } }, ['-c:a', 'libopus', '-f', 'webm']],
    ['mp3', { language: 'en', audio: { container: 'auto' } }, ['-f', 'mp3']],
  ])('takes %s, also with a connection that is lost in the middle', async (_name, body, output) => {
    const audio = ffmpeg(...output);
    const whole = await session(body, audio, 3000);
    expect(whole.finals.length).toBeGreaterThan(2);
    const created = await create(body);
    const first = await LiveClient.connect(created.url, created.token);
    first.send(audio.subarray(0, Math.floor(audio.byteLength / 2)), 3000);
    await first.next('final');
    first.drop();
    await first.closed;
    const second = await LiveClient.connect(created.url, await tokenOf(created));
    second.send(audio.subarray(second.of('ready')[0]?.acknowledged_offset));
    second.say({ type: 'finish' });
    await second.next('finished');
    expect(spoken(second.of('final'))).toEqual(spoken(whole.finals));
    expect((await api.terminal(created.id)).status).toBe('completed');
  });
});
