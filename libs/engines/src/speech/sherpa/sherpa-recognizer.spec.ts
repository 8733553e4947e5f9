import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { noisePcm, writeModel } from '../../../test/tiny-models/model-folder.js';
import { tinySenseVoice } from '../../../test/tiny-models/tiny-sense-voice.js';
import { tinyParakeet, tinyZipformer } from '../../../test/tiny-models/tiny-transducers.js';
import { tinyWhisper } from '../../../test/tiny-models/tiny-whisper.js';
import { recognizerFromUrl } from '../recognizer-from-url.js';
import type { Recognition, SpeechRecognizer } from '../speech-recognizer.js';

const never = new AbortController().signal;
const open: SpeechRecognizer[] = [];
let folder: string;

/** By name, as an operator would have got them. */
function engine(url: string): SpeechRecognizer {
  const recognizer = recognizerFromUrl(url, { modelsFolder: folder });
  open.push(recognizer);
  return recognizer;
}

/** Each word as `start–end text`. */
const timed = ({ words }: Recognition) => words.map(({ start, end, text }) => `${start.toFixed(2)}–${end.toFixed(2)} ${text}`);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parlance-sherpa-'));
  await writeModel(folder, 'parakeet-tdt-0.6b-v2', tinyParakeet());
  await writeModel(folder, 'zipformer-small-en', tinyZipformer());
  await writeModel(folder, 'sense-voice-small', tinySenseVoice());
  await writeModel(folder, 'whisper-tiny', tinyWhisper());
});
afterAll(async () => {
  await Promise.all(open.map((recognizer) => recognizer.close()));
  await rm(folder, { recursive: true });
});

describe('SherpaRecognizer', () => {
  it('hears words with the times of a transducer that tells durations (Parakeet)', async () => {
    const heard = await engine('sherpa:parakeet-tdt-0.6b-v2').recognize({ pcm: noisePcm(0.8, 1.28, 0.92), signal: never });
    expect(timed(heard)).toEqual(['0.80–1.12 hello', '1.12–1.44 world', '1.44–1.76 hello', '1.76–2.08 world']);
    expect(heard.language).toBeUndefined();
    for (const { confidence } of heard.words) expect(confidence).toBeGreaterThan(0.99);
  });

  it('hears words with the times of a stateless transducer (Zipformer)', async () => {
    const heard = await engine('sherpa:zipformer-small-en').recognize({ pcm: noisePcm(0.8, 2, 1), signal: never });
    expect(timed(heard)).toEqual(['0.80–1.20 YES', '2.80–3.20 NO']);
  });

  it('parts a text without spaces into words and tells its language (SenseVoice)', async () => {
    const recognizer = engine('sherpa:sense-voice-small');
    const detected = await recognizer.recognize({ pcm: noisePcm(0.4, 1.6, 0.5), signal: never });
    expect(detected.words.map(({ text }) => text).join('')).toBe('天今天今天');
    expect(detected.words.length).toBeLessThan(5);
    expect(detected.language).toBe('zh');
    expect((await recognizer.recognize({ pcm: noisePcm(0.4, 1.6), language: 'en-GB', signal: never })).language).toBeUndefined();
  });

  it('shares out the times of segments where the model tells no more, and says so (Whisper)', async () => {
    const recognizer = engine('sherpa:whisper-tiny');
    expect(recognizer.info).toMatchObject({ name: 'sherpa:whisper-tiny', wordTimes: false, detectsLanguage: true });
    const heard = await recognizer.recognize({ pcm: noisePcm(0.4, 1.8, 1), signal: never });
    expect(timed(heard)).toEqual(['0.40–1.30 hello', '1.30–2.20 world']);
    expect(heard).toMatchObject({ language: 'en', warnings: [{ code: 'word_times_estimated' }] });
  });

  it('speaks the language asked for, and finds out itself when none is', async () => {
    const recognizer = engine('sherpa:whisper-tiny');
    const texts = async (pcm: Uint8Array, language?: string) => {
      const heard = await recognizer.recognize({ pcm, signal: never, ...(language && { language }) });
      return [heard.language, ...heard.words.map(({ text }) => text)];
    };
    expect(await texts(noisePcm(0.2, 1), 'de-AT')).toEqual([undefined, 'hallo', 'Welt']);
    expect(await texts(noisePcm(0.2, 1))).toEqual(['en', 'hello', 'world']);
    expect(await texts(noisePcm(0.8, 1))).toEqual(['de', 'hallo', 'Welt']);
  });

  it('runs a Whisper for English alone', async () => {
    await writeModel(folder, 'whisper-tiny.en', tinyWhisper({ multilingual: false }));
    const recognizer = engine('sherpa:whisper-tiny.en');
    expect(recognizer.info).toMatchObject({ languages: ['en'], detectsLanguage: false });
    const heard = await recognizer.recognize({ pcm: noisePcm(0.4, 1), language: 'en-US', signal: never });
    expect([timed(heard), heard.language]).toEqual([['0.40–0.90 hello', '0.90–1.40 world'], undefined]);
  });

  it('parts a chunk that is longer than the model hears at a pause, so that nothing is dropped', async () => {
    // Whisper drops what is past 30 s: here the second stretch of sound.
    const heard = await engine('sherpa:whisper-tiny').recognize({ pcm: noisePcm(0.5, 22, 1, 15, 0.5), language: 'en', signal: never });
    const [first, , third] = heard.words;
    expect(heard.words.map(({ text }) => text)).toEqual(['hello', 'world', 'hello', 'world']);
    expect(first?.start).toBeCloseTo(0.5, 1);
    expect(third?.start).toBeCloseTo(23.5, 1);
    expect(heard.words.at(-1)?.end).toBeCloseTo(38.5, 1);
  });

  it('hears nothing in silence, and in next to nothing', async () => {
    const recognizer = engine('sherpa:parakeet-tdt-0.6b-v2');
    for (const pcm of [new Uint8Array(0), new Uint8Array(3), new Uint8Array(64_000), noisePcm(0, 0.01)]) {
      expect((await recognizer.recognize({ pcm, signal: never })).words).toEqual([]);
    }
  });

  it('refuses a language before anything is started', async () => {
    await expect(engine('sherpa:whisper-tiny').recognize({ pcm: noisePcm(0, 1), language: 'yue', signal: never })).rejects.toMatchObject({ code: 'language_unsupported' });
    await expect(engine('sherpa:zipformer-small-en').recognize({ pcm: noisePcm(0, 1), language: 'de', signal: never })).rejects.toMatchObject({ code: 'language_unsupported' });
  });

  it('says how to get a model that is not there, and finds it once it is', async () => {
    const recognizer = engine('sherpa:whisper-base');
    const missing = { code: 'engine_failed', retryable: true, message: expect.stringContaining('parlance-admin models get whisper-base') };
    await expect(recognizer.check()).rejects.toMatchObject(missing);
    await expect(recognizer.recognize({ pcm: noisePcm(0, 1), signal: never })).rejects.toMatchObject(missing);
    await writeModel(folder, 'whisper-base', tinyWhisper());
    await expect(recognizer.check()).resolves.toBeUndefined();
    expect((await recognizer.recognize({ pcm: noisePcm(0.2, 1), signal: never })).words).toHaveLength(2);
  });

  it('runs a model of one’s own from its folder', async () => {
    const own = await writeModel(folder, 'my model', tinyZipformer());
    const recognizer = engine(`sherpa:${encodeURIComponent(own)}?languages=en,de&parallelism=2`);
    expect(recognizer.info).toMatchObject({ name: 'sherpa:my model', languages: ['en', 'de'], parallelism: 2 });
    const both = await Promise.all([0.4, 0.8].map((start) => recognizer.recognize({ pcm: noisePcm(start, 2, 1), signal: never })));
    expect(both.map(({ words }) => words[0]?.start)).toEqual([0.4, 0.8]);
  });

  it.each([
    ['is damaged', { 'encoder.int8.onnx': 'no model' }, false],
    ['lacks what sherpa-onnx wants to know', { 'tokens.txt': 'a 0\n' }, false],
  ])('survives a model that %s, which ends its process', async (_case, files, retryable) => {
    const name = `broken-${Object.keys(files)[0]}`;
    const broken = await writeModel(folder, name, { ...tinyParakeet(), ...files });
    const recognizer = engine(`sherpa:${encodeURIComponent(broken)}?languages=en`);
    const error = await recognizer.recognize({ pcm: noisePcm(0, 1), signal: never }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'engine_failed', retryable });
    expect((error as Error).message).not.toContain(folder);
  });

  it('can be canceled at any moment, and works again after', async () => {
    const recognizer = engine('sherpa:parakeet-tdt-0.6b-v2');
    const long = noisePcm(0, 60);
    for (const delay of [0, 5, 60, 150]) {
      const abort = new AbortController();
      const recognition = recognizer.recognize({ pcm: long, signal: abort.signal });
      setTimeout(() => abort.abort(), delay);
      // The last ones may be done before.
      await recognition.then(
        ({ words }) => expect(words.length).toBeGreaterThan(100),
        (error: unknown) => expect(error).toMatchObject({ code: 'canceled' }),
      );
    }
    expect((await recognizer.recognize({ pcm: noisePcm(0, 0.64), signal: never })).words).toHaveLength(2);
  });

  it('takes what fails inside the model for a failure, not for silence', async () => {
    // ONNX Runtime throws, and sherpa-onnx answers with an empty text.
    const failing = await writeModel(folder, 'failing', tinyWhisper({ failing: true }));
    const recognizer = engine(`sherpa:${encodeURIComponent(failing)}`);
    await expect(recognizer.recognize({ pcm: noisePcm(0, 1), signal: never })).rejects.toMatchObject({ code: 'engine_failed', message: expect.stringContaining('while it decoded') });
  });
});
