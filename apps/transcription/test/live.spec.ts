import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { common, live, type LiveFinals } from '@parlance/contracts';
import { openMediaStore } from '@parlance/storage';
import { ACCOUNT, TranscriptionHarness } from './transcription-harness.js';

const samples = (name: string) => fileURLToPath(new URL(`../../../samples/${name}`, import.meta.url));
const pcmOf = (name: string) => execFileSync('ffmpeg', ['-v', 'error', '-i', samples(name), '-ac', '1', '-ar', '16000', '-f', 's16le', '-'], { maxBuffer: 2 ** 26 });
const pcm = pcmOf('meeting.mp3').subarray(0, 20 * 32_000);

type Event = NonNullable<live.RecognizeResponse['event']>;
const valuesOf = <Case extends Event['$case']>(events: readonly Event[], $case: Case) => events.flatMap((event) => (event.$case === $case ? [event.value as Extract<Event, { $case: Case }>['value']] : []));

const opening = (changes: Partial<live.OpenRecognition> = {}): live.RecognizeRequest => ({
  part: { $case: 'open', value: { jobId: 'job_live', accountId: ACCOUNT, options: undefined, partials: false, silenceMs: 400, maxUtteranceMs: 8000, startSample: 0, utterancesBefore: 0, ...changes } },
});

async function* requests(audio: Uint8Array, open = opening()): AsyncGenerator<live.RecognizeRequest> {
  yield open;
  for (let at = 0; at < audio.byteLength; at += 6400) yield { part: { $case: 'pcm', value: Buffer.from(audio.subarray(at, at + 6400)) } };
}

let harness: TranscriptionHarness;
beforeAll(async () => {
  harness = await TranscriptionHarness.start({ SPEECH_ENGINE_URL: 'fixture:?formatsText=false', LIVE_STREAMS: '2' });
});
afterAll(() => harness[Symbol.asyncDispose]());

const client = () => harness.service.process.connect('transcription', live.LiveServiceDefinition);

async function recognized(sent: AsyncIterable<live.RecognizeRequest>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const { event } of client().recognize(sent, { timeoutMs: Infinity })) if (event) events.push(event);
  return events;
}

const options = common.JobOptions.fromPartial({ language: 'en', spelling: { format: true, replace: [{ from: 'summer', to: 'Sommer' }], numerals: false } });

describe('LiveService', () => {
  it('says how it recognizes, and gives each utterance as a segment that is written as the job asks', async () => {
    const [opened, ...events] = await recognized(requests(pcm, opening({ options, partials: true })));
    expect(opened).toEqual({ $case: 'opened', value: { engine: 'fixture', mode: live.StreamingMode.STREAMING_MODE_LOCAL_AGREEMENT } });
    const finals = valuesOf(events, 'final');
    expect(finals.length).toBeGreaterThan(2);
    for (const [nth, { utterance, segment, untilSample }] of finals.entries()) {
      expect(utterance).toBe(nth + 1);
      expect(segment?.text).toMatch(/^[A-Z].*[.?]$/s);
      expect(segment?.end).toBeLessThanOrEqual(untilSample / 16_000 + 0.001);
    }
    expect(valuesOf(events, 'partial').length).toBeGreaterThan(0);
  });

  it('goes on from where an earlier recognition was, with times and numbers of the session', async () => {
    const whole = valuesOf(await recognized(requests(pcm, opening({ options }))), 'final');
    for (const { untilSample, utterance } of whole.slice(0, -1)) {
      const rest = requests(pcm.subarray(untilSample * 2), opening({ options, startSample: untilSample, utterancesBefore: utterance }));
      expect(valuesOf(await recognized(rest), 'final')).toEqual(whole.slice(utterance));
    }
  });

  it('says which engine would recognize, and refuses a model and a language that it does not have', async () => {
    expect(await client().getLiveEngine({})).toMatchObject({ engine: 'fixture', languages: ['en', 'de', 'fr', 'es'] });
    await expect(client().getLiveEngine({ model: 'none' })).rejects.toMatchObject({ code: 'model_unknown' });
    const wrong = (changes: object) => recognized(requests(pcm, opening({ options: common.JobOptions.fromPartial(changes) })));
    await expect(wrong({ model: 'none' })).rejects.toMatchObject({ code: 'model_unknown' });
    await expect(wrong({ language: 'tlh' })).rejects.toMatchObject({ code: 'language_unsupported' });
  });

  it('refuses a stream that does not begin with its opening', async () => {
    const bare = async function* (): AsyncGenerator<live.RecognizeRequest> {
      yield { part: { $case: 'finalize', value: {} } };
    };
    await expect(recognized(bare())).rejects.toMatchObject({ code: 'malformed_request' });
  });

  it('takes no more streams than it may, and another one when one has ended', async () => {
    const held = [await retried(quietStream), await retried(quietStream)];
    await expect(recognized(requests(pcm))).rejects.toMatchObject({ code: 'no_live_capacity', kind: 'rate_limited', retryable: true });
    for (const { cancel } of held) cancel.abort();
    for (const { ended } of held) await expect(ended).rejects.toMatchObject({ kind: 'canceled' });
    await expect(retried(() => recognized(requests(pcm.subarray(0, 32_000))))).resolves.toBeDefined();
  });
});

/** A stream that is open and gets no audio. @throws AppError no_live_capacity while an earlier stream still has its place */
async function quietStream() {
  const cancel = new AbortController();
  const { promise: opened, resolve } = Promise.withResolvers<void>();
  const silent = async function* (): AsyncGenerator<live.RecognizeRequest> {
    yield opening();
    await new Promise(() => {});
  };
  const ended = (async () => {
    for await (const _ of client().recognize(silent(), { signal: cancel.signal, timeoutMs: Infinity })) resolve();
  })();
  ended.catch(() => {});
  await Promise.race([opened, ended]);
  return { cancel, ended };
}

/** A place is given back soon after its call has ended. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

describe('LiveService with a failing engine', () => {
  it('ends the stream with the error of the engine', async () => {
    await using failing = await TranscriptionHarness.start({ SPEECH_ENGINE_URL: 'fixture:?failTimes=100' });
    const reading = (async () => {
      for await (const _ of failing.service.process.connect('transcription', live.LiveServiceDefinition).recognize(requests(pcm), { timeoutMs: Infinity }));
    })();
    await expect(reading).rejects.toMatchObject({ code: 'engine_failed', retryable: true });
  });

  it('ends the stream of an engine that hangs at the time limit, although no further audio comes', async () => {
    await using hanging = await TranscriptionHarness.start({ SPEECH_ENGINE_URL: 'fixture:?hangTimes=100', CHUNK_TIMEOUT_SECONDS: '1' });
    const silent = async function* (): AsyncGenerator<live.RecognizeRequest> {
      yield* requests(pcm.subarray(0, 2 * 32_000));
      yield { part: { $case: 'finalize', value: {} } };
      await new Promise(() => {});
    };
    const reading = (async () => {
      for await (const _ of hanging.service.process.connect('transcription', live.LiveServiceDefinition).recognize(silent(), { timeoutMs: Infinity }));
    })();
    await expect(reading).rejects.toMatchObject({ code: 'engine_timeout', retryable: true });
  });

  it('reads audio no faster than it is recognized', async () => {
    await using slow = await TranscriptionHarness.start({ SPEECH_ENGINE_URL: 'fixture:?hangTimes=100' });
    let sent = 0;
    const endless = async function* (): AsyncGenerator<live.RecognizeRequest> {
      yield opening();
      for (;;) for await (const request of requests(pcm)) if (request.part?.$case === 'pcm') yield (sent += request.part.value.byteLength, request);
    };
    const cancel = new AbortController();
    const reading = (async () => {
      for await (const _ of slow.service.process.connect('transcription', live.LiveServiceDefinition).recognize(endless(), { signal: cancel.signal, timeoutMs: Infinity }));
    })();
    let before = -1;
    for (; before !== sent; await new Promise((resolve) => setTimeout(resolve, 1500))) before = sent;
    // Some utterances wait, and some blocks are under way.
    expect(sent).toBeLessThan(3 * pcm.byteLength);
    cancel.abort();
    await expect(reading).rejects.toMatchObject({ kind: 'canceled' });
  });
});

describe('a job of a live session', () => {
  it('has the finals of the session as its segments, and asks no engine', async () => {
    const jobId = 'job_finals';
    const sent = valuesOf(await recognized(requests(pcm, opening({ options }))), 'final').flatMap(({ segment }) => segment ?? []);
    const finals: LiveFinals = { engine: 'sherpa-online:tiny', finals: sent.map(({ start, end, words }) => ({ start, end, isPunctuated: true, words: words.map(({ start: from, end: to, text, confidence, raw }) => ({ start: from, end: to, text, confidence, raw })) })) };
    const liveFinalsKey = `${ACCOUNT}/${jobId}/live-finals.json`;
    const store = await openMediaStore(`file:${join(harness.service.dataFolder, 'media')}`);
    await store.put(liveFinalsKey, one(new TextEncoder().encode(JSON.stringify(finals))));
    const plan = await harness.storeMedia(jobId, { seconds: 20, chunkSeconds: 3, change: (made) => ({ ...made, options: { vocabulary: [], language: 'en', format: true, replace: [{ from: 'Sommer', to: 'twice' }], liveFinalsKey } }) });
    await harness.mediaReady(plan, { options });
    await harness.awaitEvent('transcript.completed', jobId);
    const { header, segments } = await harness.transcript(jobId);
    expect(header).toMatchObject({ engine: 'sherpa-online:tiny', language: 'en', segmentCount: sent.length, formatting: 'model' });
    expect(segments).toEqual(sent);
    const progress = await harness.chunkSegments(jobId, 0);
    expect(progress.segments.map(({ text }) => text)).toEqual(sent.map(({ text }) => text));
  });
});

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
