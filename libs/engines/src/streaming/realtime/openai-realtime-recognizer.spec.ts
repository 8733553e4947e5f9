import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { RealtimeServer, type RealtimeBehaviour } from '../../../test/realtime-server.js';
import { samplePcm } from '../../../test/sample-pcm.js';
import { describeStreamingRecognizerContract } from '../../contract/streaming-recognizer-contract.js';
import { SileroStreams } from '../../voice-activity/silero-streams.js';
import { streamingEngineFromUrl } from '../streaming-engine-from-url.js';
import type { StreamingEvent, StreamingInput, StreamingRequest } from '../streaming-recognizer.js';
import { OpenAiRealtimeRecognizer } from './openai-realtime-recognizer.js';

const KEY = 'sk-test-4711';
const pcm = samplePcm('meeting.mp3').subarray(0, 6 * 32_000);
const speech = new SileroStreams();
afterAll(() => speech.close());

const engineOf = ({ url }: RealtimeServer, query = '') => streamingEngineFromUrl(`openai-realtime+${url}${query}`, { speech, apiKey: KEY });

async function* asItArrives(bytes: number): AsyncGenerator<StreamingInput> {
  for (let at = 0; at < pcm.byteLength; at += bytes) yield { pcm: pcm.subarray(at, at + bytes) };
}

let server: RealtimeServer;
afterEach(() => server.close());

async function eventsOf(behaviour: RealtimeBehaviour, { query = '', bytes = 3200, ...more }: Partial<StreamingRequest> & { query?: string; bytes?: number } = {}): Promise<StreamingEvent[]> {
  server = await RealtimeServer.start(behaviour);
  const events = [];
  const request = { language: 'en', partials: true, silenceMs: 300, maxUtteranceMs: 20_000, signal: new AbortController().signal, ...more };
  for await (const event of engineOf(server, query).recognizer.recognize(asItArrives(bytes), request)) events.push(event);
  return events;
}

const finals = (events: readonly StreamingEvent[]) => events.filter(({ type }) => type === 'final');
const partials = (events: readonly StreamingEvent[]) => events.filter((event) => event.type === 'partial');

describe('with a strict server', () => {
  let strict: RealtimeServer;
  beforeAll(async () => {
    strict = await RealtimeServer.start();
  });
  afterAll(async () => {
    await strict.close();
    expect(strict.violations).toEqual([]);
  });
  beforeAll(async () => {
    server = await RealtimeServer.start();
  });
  const failing = async () => {
    await server.close();
    server = await RealtimeServer.start({ failure: { type: 'server_error', code: 'server_error' } });
    return engineOf(server).recognizer;
  };
  describeStreamingRecognizerContract('OpenAiRealtimeRecognizer', () => ({ recognizer: engineOf(strict).recognizer, speech: { pcm, language: 'en' }, failing }));
});

describe('OpenAiRealtimeRecognizer', () => {
  it('asks for a transcription session with the language and the vocabulary, and with the key', async () => {
    await eventsOf({}, { query: '?model=gpt-live-transcribe', language: 'en-GB', vocabulary: ['Parlance', 'Pécs'] });
    expect(server.updates[0]).toMatchObject({ audio: { input: { format: { rate: 24_000 }, transcription: { model: 'gpt-live-transcribe', language: 'en', prompt: 'Parlance, Pécs' } } } });
    expect(server.requests[0]).toMatchObject({ url: '/v1/realtime?intent=transcription', headers: { authorization: `Bearer ${KEY}` } });
    expect(server.violations).toEqual([]);
  });

  it('sends the audio as it is to a server that takes 16 kHz, with the model in the URL where it is to be', async () => {
    const events = await eventsOf({ rate: 16_000 }, { query: '?rate=16000&model=small&modelInUrl=true' });
    for (const final of finals(events)) {
      if (final.type !== 'final') continue;
      expect(final.words[0]?.text).toBe(String(Math.round((final.end - final.start) * 16_000)));
    }
    expect(server.requests[0]?.url).toBe('/v1/realtime?intent=transcription&model=small');
    expect(server.violations).toEqual([]);
  });

  it('orders finals by the items, although their transcripts arrive in another order', async () => {
    const inOrder = finals(await eventsOf({}));
    await server.close();
    expect(finals(await eventsOf({ outOfOrder: true }))).toEqual(inOrder);
  });

  it('shows what a server transcribes before the end of an utterance', async () => {
    const early = partials(await eventsOf({ early: true }));
    expect(early.map(({ text }) => text)).toContain('part 1 part 2');
  });

  it.each(['expired', 'cut', 'cut midway'] as const)('loses nothing when a session is %s', async (end) => {
    const undisturbed = finals(await eventsOf({}));
    await server.close();
    const disturbed = await eventsOf({ endOf: (connection) => (connection <= 2 ? end : undefined) });
    expect(finals(disturbed)).toEqual(undisturbed);
    expect(server.connections).toBeGreaterThanOrEqual(3);
    expect(server.violations).toEqual([]);
  });

  it('gives up on a server that closes each connection', async () => {
    await expect(eventsOf({ endOf: () => 'cut' })).rejects.toMatchObject({ code: 'engine_failed', retryable: true });
  });

  it('replaces an old session in a pause', async () => {
    const undisturbed = finals(await eventsOf({}));
    await server.close();
    server = await RealtimeServer.start();
    const recognizer = new OpenAiRealtimeRecognizer({ baseUrl: server.url, model: 'any', maxSessionMinutes: 1e-6 }, speech);
    const request = { language: 'en', partials: false, silenceMs: 300, maxUtteranceMs: 20_000, signal: new AbortController().signal };
    const events = [];
    for await (const event of recognizer.recognize(asItArrives(3200), request)) events.push(event);
    expect(finals(events)).toEqual(undisturbed);
    expect(server.connections).toBeGreaterThan(1);
    expect(server.violations).toEqual([]);
  });

  it.each([400, 401, 404])('does not try again when the connection is refused with status %d', async (refusal) => {
    await expect(eventsOf({ refusal })).rejects.toMatchObject({ code: 'engine_failed', retryable: false });
    expect(server.requests).toHaveLength(1);
  });

  it('tries a busy server again before it fails', async () => {
    await expect(eventsOf({ refusal: 503 })).rejects.toMatchObject({ code: 'engine_failed', retryable: true });
    expect(server.requests.length).toBeGreaterThan(1);
  });

  it('ends at once when it is canceled while the server does not answer its handshake', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const canceled = new AbortController();
    silent.once('connection', () => canceled.abort());
    const recognizer = new OpenAiRealtimeRecognizer({ baseUrl: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`, model: 'any' }, speech);
    const request = { partials: false, silenceMs: 300, maxUtteranceMs: 20_000, signal: canceled.signal };
    const run = async () => {
      for await (const event of recognizer.recognize(asItArrives(3200), request)) expect(event).toBeDefined();
    };
    await expect(run()).rejects.toMatchObject({ code: 'canceled' });
    silent.close();
  });

  it('fails with a failed item, without the words of the server', async () => {
    const failure: unknown = await eventsOf({ failure: { type: 'server_error', code: 'server_error' } }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'engine_failed', retryable: true });
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain('secret words');
  });

  it('fails when a transcript does not come in time', async () => {
    await expect(eventsOf({ isSilent: true }, { query: '?timeoutSeconds=1' })).rejects.toMatchObject({ code: 'engine_timeout' });
  });
});
