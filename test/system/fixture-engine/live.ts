import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { LastingMessage, ServerMessageOf } from '@parlance/contracts';
import { eventually, SAMPLES, serverSentEvents, type JobAnswer, type Parlance, type TestApi } from '@parlance/testing';
import { LiveConnection, newToken, openSession, type LiveAnswer } from './live-connection.js';
import { product } from './product.js';

const run = promisify(execFile);
const RAW = { audio: { encoding: 'pcm_s16le', sample_rate: 16_000, channels: 1 }, language: 'en', diarization: false, summary: false, highlights: false };
const BYTES_A_SECOND = 32_000;

/** The recording as ffmpeg writes it to its output. */
async function encoded(path: string, ...options: string[]): Promise<Uint8Array<ArrayBuffer>> {
  const { stdout } = await run('ffmpeg', ['-nostdin', '-loglevel', 'error', '-i', path, '-ac', '1', ...options, '-'], { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 });
  return new Uint8Array(stdout);
}

let parlance: Parlance;
let api: TestApi;
let speech: Uint8Array<ArrayBuffer>;
/** The finals of the session that nothing disturbs. */
let undisturbed: ServerMessageOf<'final'>[];

beforeAll(async () => {
  speech = await encoded(SAMPLES.meeting.path, '-f', 's16le', '-ar', '16000');
  parlance = await product();
  api = await parlance.newAccount();
});

/** The product may have been started again since, at another address. */
const refresh = () => {
  api = parlance.api.as(api.apiKey);
};

const connect = (session: LiveAnswer) => LiveConnection.open(api, session.id, session.token);
const reconnect = async (id: string, after = 0) => LiveConnection.open(api, id, await newToken(api, id), after);
const lasting = (connections: LiveConnection[]) => connections.flatMap(({ messages }) => messages.filter((message): message is LastingMessage => 'seq' in message));
const withoutSeq = (finals: ServerMessageOf<'final'>[]) => finals.map(({ utterance, start, end, text, words }) => ({ utterance, start, end, text, words }));
const wordsOf = ({ transcript }: JobAnswer) => transcript?.text.split(/\s+/).map((word) => word.toLowerCase().replaceAll(/[^\w']/g, ''));

/** Sends what the server does not have, and the end. */
async function finish(connection: LiveConnection, audio: Uint8Array<ArrayBuffer>): Promise<ServerMessageOf<'finished'>> {
  const { acknowledged_offset: offset } = await connection.first('ready');
  await connection.sendAll(audio.subarray(offset));
  connection.say({ type: 'finish' });
  return connection.first('finished');
}

describe('a live session', () => {
  beforeAll(refresh);

  it('sends each utterance once, with a sequence, and becomes a job with the same words', async () => {
    const session = await openSession(api, RAW);
    expect(session).toMatchObject({ id: expect.stringMatching(/^job_/), status: 'open', resume_within_ms: 600_000 });
    expect(await api.job(session.id)).toMatchObject({ status: 'processing', kind: 'live' });
    const connection = await connect(session);
    expect(connection.protocol).toBe('parlance.v1');
    expect(await connection.first('ready')).toMatchObject({ session_id: session.id, generation: 1, acknowledged_offset: 0, last_seq: 0, engine: 'fixture' });
    const finished = await finish(connection, speech);
    expect(finished).toMatchObject({ transcription_id: session.id, audio_ms: Math.floor((speech.length / BYTES_A_SECOND) * 1000) });
    expect(await connection.closing()).toBe(1000);
    undisturbed = connection.all('final');
    expect(undisturbed.length).toBeGreaterThan(3);
    const sequences = lasting([connection]).map(({ seq }) => seq);
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
    expect(connection.all('ack').at(-1)).toMatchObject({ offset: speech.length });
    const job = await api.terminal(session.id);
    expect(job).toMatchObject({ status: 'completed', kind: 'live' });
    expect(wordsOf(job)).toEqual(undisturbed.flatMap(({ words }) => words.map(({ text }) => text.toLowerCase())));
  });

  it('is resumed at the byte that the server names, over any server, and repeats nothing', async () => {
    const session = await openSession(api, RAW);
    const first = await connect(session);
    await first.first('ready');
    await first.sendAll(speech.subarray(0, speech.length / 2 + 1));
    const { seq } = await first.first('final');
    await first.cut();
    const seen = first.messages.findLast((message) => 'seq' in message)?.seq ?? seq;
    const second = await reconnect(session.id, seen);
    const ready = await second.first('ready');
    const acknowledged = first.all('ack').at(-1)?.offset ?? 0;
    expect(ready).toMatchObject({ generation: 2 });
    expect(ready.acknowledged_offset).toBeGreaterThanOrEqual(acknowledged);
    await finish(second, speech);
    const sequences = lasting([first, second]).map((message) => message.seq);
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
    expect(withoutSeq([...first.all('final'), ...second.all('final')])).toEqual(withoutSeq(undisturbed));
    expect(wordsOf(await api.terminal(session.id))).toEqual(undisturbed.flatMap(({ words }) => words.map(({ text }) => text.toLowerCase())));
  });

  it('is continued after all servers were killed, with what they had acknowledged', async () => {
    const session = await openSession(api, RAW);
    const first = await connect(session);
    await first.first('ready');
    await first.sendAll(speech.subarray(0, speech.length / 2));
    await first.first('final');
    await parlance.kill();
    await first.closing();
    await parlance.restart();
    api = parlance.api.as(api.apiKey);
    const second = await reconnect(session.id);
    const { acknowledged_offset: offset } = await second.first('ready');
    expect(offset).toBeGreaterThanOrEqual(first.all('ack').at(-1)?.offset ?? 0);
    await finish(second, speech);
    // All of them again, as it said that it has none.
    expect(withoutSeq(second.all('final'))).toEqual(withoutSeq(undisturbed));
    expect(second.messages).toEqual(expect.arrayContaining(lasting([first])));
    expect(await api.terminal(session.id)).toMatchObject({ status: 'completed' });
  });

  it('continues a container in its middle', async () => {
    const webm = await encoded(SAMPLES.meeting.path, '-c:a', 'libopus', '-b:a', '32k', '-f', 'webm', '-cluster_time_limit', '500');
    const session = await openSession(api, { ...RAW, audio: { container: 'auto' } });
    const first = await connect(session);
    await first.first('ready');
    await first.sendAll(webm.subarray(0, Math.floor(webm.length / 2)));
    await first.first('final');
    await first.cut();
    const second = await reconnect(session.id);
    await finish(second, webm);
    expect(second.all('final').map(({ utterance }) => utterance)).toEqual(second.all('final').map((_, index) => index + 1));
    const job = await api.terminal(session.id);
    expect(job).toMatchObject({ status: 'completed', media: { size_bytes: webm.length } });
    expect(Math.abs((job.transcript?.duration ?? 0) - speech.length / BYTES_A_SECOND)).toBeLessThan(0.5);
  });
});

describe('the connections of a live session', () => {
  beforeAll(refresh);

  it('are taken over by the newest one', async () => {
    const session = await openSession(api, RAW);
    const first = await connect(session);
    await first.first('ready');
    const second = await reconnect(session.id);
    expect(await second.first('ready')).toMatchObject({ generation: 2 });
    await first.sendAll(speech.subarray(0, 2 * BYTES_A_SECOND));
    expect(await first.closing()).toBe(4409);
    expect(await first.first('error')).toMatchObject({ code: 'live_taken_over', retryable: false });
    await second.cut();
    await api.request('DELETE', `/live/${session.id}`);
  });

  it('need a token of this session that was not used', async () => {
    const [one, other] = [await openSession(api, RAW), await openSession(api, RAW)];
    const first = await connect(one);
    await first.first('ready');
    for (const token of [one.token, other.token, 'plv_none']) {
      const refused = await LiveConnection.open(api, one.id, token);
      expect(await refused.closing()).toBe(4401);
      expect(await refused.first('error')).toMatchObject({ code: 'live_token_invalid' });
    }
    expect(first.closed).toBeUndefined();
    await first.cut();
    for (const { id } of [one, other]) expect((await api.request('DELETE', `/live/${id}`)).status).toBe(202);
  });

  it('are closed with a code when they send what is no message', async () => {
    const session = await openSession(api, RAW);
    for (const text of ['{', '{"type":"sing"}', '[]', '{"type":"finish","now":true}']) {
      const connection = await reconnect(session.id);
      await connection.first('ready');
      connection.sayText(text);
      expect([text, await connection.closing()]).toEqual([text, 4400]);
    }
    expect((await api.request('DELETE', `/live/${session.id}`)).status).toBe(202);
  });
});

describe('a live session that others follow', () => {
  beforeAll(refresh);

  it('is sent to them from its first message to its end, also with a token that only reads', async () => {
    const session = await openSession(api, RAW);
    const { token } = (await (await api.post(`/live/${session.id}/tokens`, { access: 'read' })).json()) as LiveAnswer;
    const follower = fetch(`${api.url}/api/v1/live/${session.id}/events?access_token=${token}`, { headers: { accept: 'text/event-stream' } });
    const connection = await connect(session);
    await finish(connection, speech);
    const followed: unknown[] = [];
    for await (const { data, event } of serverSentEvents(await follower)) if (event !== 'partial') followed.push(data);
    expect(followed).toEqual(lasting([connection]).map((message) => ({ event: message.type, ...message })));
    const half = followed.length >> 1;
    const rest = await api.request('GET', `/live/${session.id}/events`, { headers: { accept: 'text/event-stream', 'last-event-id': String(half) } });
    const later: unknown[] = [];
    for await (const { data } of serverSentEvents(rest)) later.push(data);
    expect(later).toEqual(followed.slice(half));
    expect(await (await LiveConnection.open(api, session.id, token)).closing()).toBe(4401);
  });
});

describe('the end of a live session', () => {
  beforeAll(refresh);

  it('by DELETE makes a job of what was acknowledged', async () => {
    const session = await openSession(api, RAW);
    const connection = await connect(session);
    await connection.first('ready');
    await connection.sendAll(speech.subarray(0, 8 * BYTES_A_SECOND));
    const { offset } = await eventually('the audio to be stored', () => connection.all('ack').find((ack) => ack.offset === 8 * BYTES_A_SECOND));
    expect((await api.request('DELETE', `/live/${session.id}`)).status).toBe(202);
    const job = await api.terminal(session.id);
    expect(job.status).toBe('completed');
    expect(job.transcript?.duration).toBeCloseTo(offset / BYTES_A_SECOND, 1);
    expect(await api.json(`/live/${session.id}`)).toMatchObject({ status: 'ended', acknowledged_offset: offset });
    await expect(newToken(api, session.id)).rejects.toThrow('410');
  });

  it('and its deletion leave nothing behind', async () => {
    const session = await openSession(api, RAW);
    await finish(await connect(session), speech.subarray(0, 4 * BYTES_A_SECOND));
    await api.terminal(session.id);
    const erasure = await api.delete(session.id);
    await eventually('the erasure', async () => (await api.erasure(erasure)).status === 'completed');
    expect(await parlance.media(session.id)).toEqual([]);
    expect((await api.request('GET', `/live/${session.id}`)).status).toBe(404);
  });
});
