import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { DeepgramClient, type Deepgram } from '@deepgram/sdk';
import { SAMPLES, type TestApi } from '@parlance/testing';
import { WebSocket } from 'ws';
import { product } from '../../system/fixture-engine/product.js';

const run = promisify(execFile);
const PIECE_BYTES = 8000;
const BYTES_A_SECOND = 32_000;

type Stream = Awaited<ReturnType<DeepgramClient['listen']['v1']['connect']>>;
type Results = Deepgram.listen.ListenV1Results;
type Message = Results | Deepgram.listen.ListenV1Metadata | Deepgram.listen.ListenV1UtteranceEnd | Deepgram.listen.ListenV1SpeechStarted;

let api: TestApi;
let root: string;
let speech: Buffer;

beforeAll(async () => {
  api = await (await product()).newAccount();
  root = new URL(api.url).origin;
  const { stdout } = await run('ffmpeg', ['-nostdin', '-loglevel', 'error', '-i', SAMPLES.meeting.path, '-ac', '1', '-f', 's16le', '-ar', '16000', '-'], { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 });
  speech = stdout;
});

/** A stream of the client, with what it received. */
class Listener {
  readonly messages: Message[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  private wake: () => void = () => {};

  private constructor(readonly stream: Stream) {
    stream.on('message', (message) => {
      this.messages.push(message as Message);
      this.wake();
    });
    this.closed = new Promise((resolve) => stream.on('close', (event) => resolve({ code: event.code, reason: event.reason })));
  }

  static async open(options: object = {}, apiKey = api.apiKey): Promise<Listener> {
    const client = new DeepgramClient({ apiKey, baseUrl: root });
    const stream = await client.listen.v1.connect({ model: 'nova-3', encoding: 'linear16', sample_rate: 16_000, reconnectAttempts: 0, ...options } as never);
    const listener = new Listener(stream);
    stream.connect();
    await stream.waitForOpen();
    return listener;
  }

  send(bytes: Buffer): void {
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) this.stream.sendMedia(new Uint8Array(bytes.subarray(start, start + PIECE_BYTES)));
  }

  async first<T extends Message>(is: (message: Message) => message is T): Promise<T> {
    for (;;) {
      const found = this.messages.find(is);
      if (found) return found;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  get finals(): Results[] {
    return this.messages.filter(isFinal);
  }
}

const isResults = (message: Message): message is Results => message.type === 'Results';
const isFinal = (message: Message): message is Results => isResults(message) && message.is_final === true;
const isInterim = (message: Message): message is Results => isResults(message) && !message.is_final && message.channel.alternatives[0]?.transcript !== '';

const SILENCE = Buffer.alloc(3 * BYTES_A_SECOND);
const wordsOf = (text = '') => text.toLowerCase().split(/\s+/).map((word) => word.replaceAll(/[^\w']/g, ''));

describe('a stream of Deepgram’s client, unchanged but for its base URL,', () => {
  it('gets interim results, finals and metadata, and is a job with the same words', async () => {
    const listener = await Listener.open({ interim_results: true, vad_events: true, utterance_end_ms: 1000, punctuate: true, tag: 'calls' });
    const sent = Buffer.concat([speech, SILENCE]);
    // In the middle of an utterance: its final cannot overtake its interim result.
    listener.send(sent.subarray(0, 2 * BYTES_A_SECOND));
    await listener.first(isInterim);
    listener.send(sent.subarray(2 * BYTES_A_SECOND));
    listener.stream.sendCloseStream({ type: 'CloseStream' });
    expect(await listener.closed).toMatchObject({ code: 1000 });
    const { messages, finals } = listener;
    expect(messages[0]).toMatchObject({ type: 'SpeechStarted', channel: [0, 1], timestamp: expect.any(Number) });
    expect(finals.length).toBeGreaterThan(3);
    for (const final of finals) expect(final).toMatchObject({ channel_index: [0, 1], speech_final: true, from_finalize: false, metadata: { model_info: { name: 'fixture' } } });
    const last = finals.at(-1)?.channel.alternatives[0]?.words.at(-1)?.end;
    expect(messages.filter(({ type }) => type === 'UtteranceEnd').at(-1)).toEqual({ type: 'UtteranceEnd', channel: [0, 1], last_word_end: last });
    const metadata = messages.at(-1);
    expect(metadata).toMatchObject({ type: 'Metadata', transaction_key: 'deprecated', sha256: createHash('sha256').update(sent).digest('hex'), channels: 1 });
    if (metadata?.type !== 'Metadata') throw new Error('no metadata');
    expect(metadata.duration).toBeCloseTo(sent.length / BYTES_A_SECOND, 2);
    const job = await api.terminal(metadata.request_id);
    expect(job).toMatchObject({ status: 'completed', kind: 'live', metadata: { source: 'deepgram', tag: 'calls' } });
    expect(wordsOf(job.transcript?.text)).toEqual(finals.flatMap(({ channel }) => wordsOf(channel.alternatives[0]?.transcript)));
  });

  it('gets a final at once by Finalize, is kept open by KeepAlive, and gets no interim results that it did not ask for', async () => {
    const listener = await Listener.open();
    listener.stream.sendKeepAlive({ type: 'KeepAlive' });
    listener.send(speech.subarray(0, 2 * BYTES_A_SECOND));
    listener.stream.sendFinalize({ type: 'Finalize' });
    expect(await listener.first(isFinal)).toMatchObject({ from_finalize: true, speech_final: true });
    listener.stream.sendCloseStream({ type: 'CloseStream' });
    await listener.closed;
    expect(listener.messages.filter(isResults).every(isFinal)).toBe(true);
    expect(listener.messages.filter(isResults)[0]?.channel.alternatives[0]?.words[0]).not.toHaveProperty('punctuated_word');
  });

  it('may send a container without its encoding', async () => {
    const { stdout } = await run('ffmpeg', ['-nostdin', '-loglevel', 'error', '-i', SAMPLES.reading.path, '-c:a', 'libopus', '-f', 'ogg', '-'], { encoding: 'buffer', maxBuffer: 1024 * 1024 });
    const listener = await Listener.open({ encoding: undefined, sample_rate: undefined });
    listener.send(stdout);
    listener.stream.sendCloseStream({ type: 'CloseStream' });
    expect(await listener.closed).toMatchObject({ code: 1000 });
    expect(listener.finals.length).toBeGreaterThan(0);
  });

  it('is closed as Deepgram does it when its bytes are no audio, or its text no message', async () => {
    const undecodable = await Listener.open({ encoding: undefined, sample_rate: undefined });
    undecodable.send(Buffer.alloc(200_000, 'no audio '));
    undecodable.stream.sendCloseStream({ type: 'CloseStream' });
    expect(await undecodable.closed).toMatchObject({ code: 1008, reason: expect.stringMatching(/^DATA-0000: /) });
    const unknown = await Listener.open();
    unknown.stream.sendKeepAlive({ type: 'Nonsense' } as never);
    expect(await unknown.closed).toMatchObject({ code: 1008 });
  });

  it('that is cut without CloseStream becomes a job with what was sent', async () => {
    const listener = await Listener.open();
    listener.send(speech.subarray(0, 10 * BYTES_A_SECOND));
    const final = await listener.first(isFinal);
    listener.stream.close();
    const job = await api.terminal(final.metadata.request_id);
    expect(job).toMatchObject({ status: 'completed', kind: 'live' });
  });
});

describe('a socket as other clients open it', () => {
  const at = (path: string) => `${root.replace('http', 'ws')}${path}`;
  const opened = (socket: WebSocket) => new Promise<string>((resolve, reject) => socket.once('upgrade', ({ headers }) => resolve(String(headers['dg-request-id']))).once('error', reject));
  const refused = (socket: WebSocket) =>
    new Promise<object>((resolve) => socket.once('unexpected-response', async (_request, response) => resolve({ status: response.statusCode, error: response.headers['dg-error'], body: await json(response) })).once('error', () => {}));

  it.each(['token', 'bearer'])('offers the key behind the subprotocol %s, and gets the id of its job in a header', async (scheme) => {
    const socket = new WebSocket(at('/v1/listen?encoding=linear16&sample_rate=16000'), [scheme, api.apiKey]);
    const id = await opened(socket);
    expect(socket.protocol).toBe(scheme);
    expect(await api.job(id)).toMatchObject({ status: 'processing', kind: 'live' });
    socket.send(speech.subarray(0, BYTES_A_SECOND));
    // The older way to end a stream.
    socket.send(Buffer.alloc(0));
    expect(await new Promise((resolve) => socket.once('close', resolve))).toBe(1000);
    expect(await api.terminal(id)).toMatchObject({ status: 'completed' });
  });

  it('is refused before the upgrade, with a status and the reason', async () => {
    const open = (query: string, key = api.apiKey) => refused(new WebSocket(at(`/compat/deepgram/v1/listen?${query}`), { headers: { authorization: `Token ${key}` } }));
    expect(await open('', 'wrong')).toMatchObject({ status: 401, body: { err_code: 'INVALID_AUTH', request_id: expect.stringMatching(/^req_/) } });
    expect(await open('diarize=true')).toMatchObject({ status: 400, error: expect.stringMatching(/^diarize: /), body: { err_code: 'Bad Request', err_msg: expect.stringMatching(/^diarize: /) } });
    expect(await open('encoding=linear16')).toMatchObject({ status: 400, error: 'sample_rate: It is required with this encoding.' });
    expect(await open('encoding=g729&sample_rate=8000')).toMatchObject({ status: 400, error: expect.stringMatching(/^encoding: /) });
    expect(await open('model=nobody-has-it')).toMatchObject({ status: 400, error: expect.stringMatching(/^model: /) });
    const plain = await fetch(`${root}/v1/listen`, { headers: { authorization: `Token ${api.apiKey}` } });
    expect([plain.status, await plain.json()]).toMatchObject([426, { err_code: 'UPGRADE_REQUIRED' }]);
  });

  it('is closed when its key is revoked', async () => {
    const { api_key: key, key_id: id } = (await (await api.post('/keys', { name: 'voice agent', scopes: ['transcriptions:write'] })).json()) as { api_key: string; key_id: string };
    const socket = new WebSocket(at('/v1/listen?encoding=mulaw'), { headers: { authorization: `Token ${key}` } });
    await opened(socket);
    const closed = new Promise((resolve) => socket.once('close', (code, reason) => resolve([code, reason.toString('utf8')])));
    await api.request('DELETE', `/keys/${id}`);
    expect(await closed).toEqual([1008, expect.stringMatching(/^INVALID_AUTH: /)]);
  });
});
