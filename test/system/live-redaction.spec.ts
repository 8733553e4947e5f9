import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, SAMPLES, serverSentEvents, SpeechServer, startParlance, WebhookReceiver, type JobAnswer, type Parlance } from '@parlance/testing';
import { LiveClient } from '@parlance/testing/live-client';

/** Short, so that the shortest utterance of the recording has it. */
const SPOKEN = 'mail quillfeather@example.com or charge 4111111111111111 please';
const CANARIES = /quillfeather|4111/iu;
const RATE = 16_000;
const ffmpeg = (args: string[], input?: Buffer): Buffer => execFileSync('ffmpeg', ['-v', 'error', ...args, '-ac', '1', '-ar', String(RATE), '-f', 's16le', '-'], { input, maxBuffer: 2 ** 26 });
const PCM = ffmpeg(['-t', '20', '-i', SAMPLES.meeting.path]);
const OPTIONS = { language: 'en', audio: { encoding: 'pcm_s16le', sample_rate: RATE, channels: 1 } };
/** Seconds at a word's edges in which the codec's filter may ring. */
const EDGE = 0.05;
/** Of 32,768: what Opus writes for silence. */
const SILENT = 100;

type SpokenJob = JobAnswer & { transcript: { redacted?: object } };

describe('a live session with redaction', () => {
  let parlance: Parlance;
  let server: SpeechServer;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    [server, receiver] = await Promise.all([SpeechServer.start(() => SPOKEN), WebhookReceiver.start()]);
    parlance = await startParlance({ env: { SPEECH_ENGINE_URL: server.url } });
  });
  afterAll(async () => {
    await parlance.dispose();
    await Promise.all([server, receiver].map((each) => each[Symbol.asyncDispose]()));
  });

  /** Speaks the recording, with a follower. @returns the session's id, and all that the client and the follower were sent */
  async function spoken(options: object): Promise<{ id: string; client: LiveClient; followed: string[] }> {
    const created = (await (await parlance.api.post('/live', { ...OPTIONS, ...options })).json()) as { id: string; url: string; token: string };
    const followed = follow(created.id);
    const client = await LiveClient.connect(created.url, created.token);
    client.send(PCM);
    client.say({ type: 'finish' });
    await client.next('finished');
    await client.closed;
    return { id: created.id, client, followed: await followed };
  }

  async function follow(id: string): Promise<string[]> {
    const all: string[] = [];
    for await (const event of serverSentEvents(await parlance.api.request('GET', `/live/${id}/events`))) {
      all.push(JSON.stringify(event));
      if (event.event === 'finished') break;
    }
    return all;
  }

  it('hides nothing without it', async () => {
    const { client, followed } = await spoken({});
    expect(JSON.stringify(client.of('final'))).toMatch(CANARIES);
    expect(followed.join('\n')).toMatch(CANARIES);
  });

  it.each(['none', 'same'])('shows the redacted words to nobody, and takes them out of its recording, with the final pass %s', async (pass) => {
    const { id, client, followed } = await spoken({
      final_pass: pass,
      redaction: { policies: ['email', 'card_number'], audio: 'silence' },
      callback_url: receiver.url,
      callback_include: ['transcript'],
      chapters: true,
    });
    expect(client.of('final').map(({ text }) => text).join(' ')).toContain('[EMAIL]');
    expect(client.of('partial')).toEqual([]);
    expect(await parlance.api.terminal(id)).toMatchObject({ status: 'completed', stages: { audio_redaction: { status: 'completed' } } });
    const job = (await parlance.api.job(id, '?include=words')) as SpokenJob;
    expect(job.transcript.redacted).toMatchObject({ email: expect.any(Number), card_number: expect.any(Number) });

    const events: string[] = [];
    for await (const event of parlance.api.events(id)) events.push(JSON.stringify(event));
    const texts = await Promise.all((['txt', 'srt', 'vtt', 'json'] as const).map((format) => parlance.api.transcript(id, format)));
    await eventually('the webhook', async () => receiver.of(id).some(({ body }) => body.type === 'transcription.completed'));
    const search = async (words: string) => (await parlance.api.json<{ data: { job_id: string }[] }>(`/search?q=${words}`)).data.filter((found) => found.job_id === id);
    await eventually('the search to find the session', async () => (await search('charge')).length > 0);
    const passages = await Promise.all(['charge', 'quillfeather', '4111111111111111'].map(search));
    const everything = [client.messages, followed, await follow(id), job, events, texts, receiver.of(id), passages];
    expect(JSON.stringify(everything)).not.toMatch(CANARIES);

    const media = await parlance.api.request('GET', `/transcriptions/${id}/media`);
    expect([media.status, media.headers.get('content-type')]).toEqual([200, 'audio/ogg']);
    const samples = new Int16Array(new Uint8Array(ffmpeg(['-i', 'pipe:0'], Buffer.from(await media.arrayBuffer()))).buffer);
    const loudest = (start: number, end: number) => samples.subarray(Math.round(start * RATE), Math.round(end * RATE)).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    const words = job.transcript.segments.flatMap(({ words: own = [] }) => own).filter(({ redacted }) => redacted !== undefined);
    for (const { start, end } of words) expect(loudest(start + EDGE, end - EDGE)).toBeLessThan(SILENT);
    expect(loudest(0, Infinity)).toBeGreaterThan(10 * SILENT);
    expect((await parlance.api.request('GET', `/transcriptions/${id}/media?original=true`)).status).toBe(409);
  });
});
