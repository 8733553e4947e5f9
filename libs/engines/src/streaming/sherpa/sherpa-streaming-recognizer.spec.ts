import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { noisePcm, writeModel } from '../../../test/tiny-models/model-folder.js';
import { tinyStreamingCtc, tinyStreamingTransducer } from '../../../test/tiny-models/tiny-online.js';
import { describeStreamingRecognizerContract } from '../../contract/streaming-recognizer-contract.js';
import { SileroStreams } from '../../voice-activity/silero-streams.js';
import type { StreamingEngine } from '../streaming-engine.js';
import { streamingEngineFromUrl } from '../streaming-engine-from-url.js';
import type { StreamingEvent, StreamingInput } from '../streaming-recognizer.js';
import { OnlineStreams } from './online-streams.js';
import { SherpaStreamingRecognizer } from './sherpa-streaming-recognizer.js';

const OBEDIENT_WORKER = new URL('../../../test/obedient-worker.mjs', import.meta.url);

let modelsFolder: string;
const engines = new Map<string, StreamingEngine>();
const speech = new SileroStreams();
const pcm = noisePcm(0.8, 1.28, 0.92, 2.5, 6, 0.7, 0.1, 0.4, 1.2);

/** One engine for each URL, as a service has it. */
function engineOf(url: string): StreamingEngine {
  const engine = engines.get(url) ?? streamingEngineFromUrl(url, { speech, modelsFolder });
  engines.set(url, engine);
  return engine;
}

beforeAll(async () => {
  modelsFolder = await mkdtemp(join(tmpdir(), 'parlance-online-'));
  await writeModel(modelsFolder, 'zipformer-streaming-small-en', tinyStreamingTransducer());
  await writeModel(modelsFolder, 'tiny-nemo-ctc', tinyStreamingCtc());
});
afterAll(async () => {
  await Promise.all(Array.from(engines.values(), (engine) => engine.close()));
  await rm(modelsFolder, { recursive: true });
});

const transducer = () => engineOf('sherpa-online:zipformer-streaming-small-en?threads=1');
const ctc = () => engineOf(`sherpa-online:${modelsFolder}/tiny-nemo-ctc?threads=1&languages=en`);

/** Its process loads the model and then does not answer. */
const stuck = () => new OnlineStreams({ program: OBEDIENT_WORKER, config: async () => ({ stuck: true }), what: 'the model', idleMs: 0, answerMs: 500 });
const failing = () => new SherpaStreamingRecognizer(stuck(), ['en']);

describeStreamingRecognizerContract('SherpaStreamingRecognizer with a transducer', () => ({ recognizer: transducer().recognizer, speech: { pcm, language: 'en' }, failing }));
describeStreamingRecognizerContract('SherpaStreamingRecognizer with a CTC model', () => ({ recognizer: ctc().recognizer, speech: { pcm, language: 'en' }, failing }));

async function* asItArrives(): AsyncGenerator<StreamingInput> {
  for (let at = 0; at < pcm.byteLength; at += 3200) yield { pcm: pcm.subarray(at, at + 3200) };
}

async function eventsOf(engine: StreamingEngine, vocabulary: string[] = []): Promise<StreamingEvent[]> {
  const events = [];
  const request = { partials: true, vocabulary, silenceMs: 300, maxUtteranceMs: 20_000, signal: new AbortController().signal };
  for await (const event of engine.recognizer.recognize(asItArrives(), request)) events.push(event);
  return events;
}

const finals = (events: readonly StreamingEvent[]) => events.filter((event) => event.type === 'final');

describe('SherpaStreamingRecognizer', () => {
  it('finds an utterance around the tokens, with their times and confidences', async () => {
    const [first, second] = finals(await eventsOf(transducer()));
    // Noise from 0.8 s to 2.08 s, and from 3.0 s to 5.5 s.
    expect(first).toMatchObject({ utterance: 1, endpoint: 'silence' });
    expect(first?.start).toBeCloseTo(0.55, 1);
    expect(first?.words[0]).toMatchObject({ text: 'HELLO', confidence: expect.closeTo(1, 1) });
    expect(first?.words[0]?.start).toBeCloseTo(0.8, 1);
    expect(first?.words.at(-1)?.end).toBeLessThan(2.4);
    expect(second?.words[0]?.start).toBeCloseTo(3, 1);
  });

  it('shows words as they are said, of which all but the last are stable', async () => {
    const partials = (await eventsOf(transducer())).filter((event) => event.type === 'partial');
    const last = partials.filter(({ utterance }) => utterance === 1).at(-1);
    expect(partials.length).toBeGreaterThan(3);
    expect(last?.stableCharacters).toBe(last?.text.lastIndexOf(' '));
  });

  it('cuts a long utterance between words', async () => {
    const events = [];
    const request = { partials: false, silenceMs: 300, maxUtteranceMs: 1000, signal: new AbortController().signal };
    for await (const event of transducer().recognizer.recognize(asItArrives(), request)) events.push(event);
    const cut = finals(events).filter(({ endpoint }) => endpoint === 'length');
    expect(cut.length).toBeGreaterThan(1);
    for (const { words } of cut) for (const { text } of words) expect(['HELLO', 'WORLD']).toContain(text);
  });

  it('warns of a vocabulary, which it does not use', async () => {
    expect(await eventsOf(transducer(), ['Parlance'])).toContainEqual(expect.objectContaining({ type: 'warning', code: 'vocabulary_unsupported' }));
  });

  it('fails the streams of a process that ended, and begins the next one with another process', async () => {
    const engine = streamingEngineFromUrl('sherpa-online:zipformer-streaming-small-en?threads=1', { speech, modelsFolder });
    const cut = async function* (): AsyncGenerator<StreamingInput> {
      yield { pcm };
      await engine.close();
      yield { pcm };
    };
    const request = { partials: false, silenceMs: 300, maxUtteranceMs: 20_000, signal: new AbortController().signal };
    const run = async () => {
      for await (const event of engine.recognizer.recognize(cut(), request)) expect(event).toBeDefined();
    };
    await expect(run()).rejects.toMatchObject({ code: 'engine_failed', retryable: true });
    expect(finals(await eventsOf(engine)).length).toBeGreaterThan(1);
    await engine.close();
  });

  it('says how a model that is not there is got, at the start and to a session', async () => {
    const engine = engineOf('sherpa-online:zipformer-streaming-en');
    const failure = { code: 'engine_failed', retryable: true, message: expect.stringContaining('parlance-admin models get zipformer-streaming-en') };
    await expect(engine.check()).rejects.toMatchObject(failure);
    await expect(eventsOf(engine)).rejects.toMatchObject(failure);
  });
});
