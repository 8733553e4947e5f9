import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { dialoguePcm, piecesOf } from '../../test/dialogue.js';
import { OpenAiServer } from '../../test/openai-server.js';
import { samplePcm } from '../../test/sample-pcm.js';
import { noisePcm, writeModel } from '../../test/tiny-models/model-folder.js';
import { tinyEmbedding, tinySegmentation } from '../../test/tiny-models/tiny-diarization.js';
import { tinyParakeet } from '../../test/tiny-models/tiny-transducers.js';
import { tinyWhisper } from '../../test/tiny-models/tiny-whisper.js';
import { diarizerFromUrl } from '../diarization/diarizer-from-url.js';
import type { SpeakerDiarizer } from '../diarization/speaker-diarizer.js';
import { embedderFromUrl } from '../embeddings/embedder-from-url.js';
import type { LanguageModel } from '../language-model/language-model.js';
import { languageModelFromUrl } from '../language-model/language-model-from-url.js';
import { recognizerFromUrl } from '../speech/recognizer-from-url.js';
import type { SpeechRecognizer } from '../speech/speech-recognizer.js';
import { describeLanguageModelContract, describeSpeakerDiarizerContract, describeSpeechRecognizerContract, describeTextEmbedderContract } from './index.js';

let server: OpenAiServer;
let modelsFolder: string;
const open = new Map<string, { close(): Promise<void> }>();

beforeAll(async () => {
  server = await OpenAiServer.start();
  modelsFolder = await mkdtemp(join(tmpdir(), 'parlance-engines-'));
  await writeModel(modelsFolder, 'parakeet-tdt-0.6b-v2', tinyParakeet());
  await writeModel(modelsFolder, 'whisper-tiny', tinyWhisper());
  await writeModel(modelsFolder, 'pyannote-segmentation-3.0', { 'model.onnx': tinySegmentation() });
  await writeModel(modelsFolder, '3dspeaker-campplus-zh-en', { '3dspeaker_speech_campplus_sv_zh_en_16k-common_advanced.onnx': tinyEmbedding() });
});
afterAll(async () => {
  await Promise.all(Array.from(open.values(), (engine) => engine.close()));
  await server.close();
  await rm(modelsFolder, { recursive: true });
});

/** One engine for each name, as a service has it. */
function once<T extends { close(): Promise<void> }>(name: string, make: () => T): T {
  if (!open.has(name)) open.set(name, make());
  return open.get(name) as T;
}

const openAiUrl = () => `openai+${server.url}`;
const recognizer = (url: () => string): SpeechRecognizer => once(`speech ${url()}`, () => recognizerFromUrl(url(), { modelsFolder, apiKey: 'sk-test' }));
const reading = samplePcm('reading.flac').subarray(0, 4 * 32_000);

describeSpeechRecognizerContract('PocketsphinxRecognizer', () => ({ recognizer: recognizer(() => 'pocketsphinx:'), speech: { pcm: reading, language: 'en' } }));
describeSpeechRecognizerContract('OpenAiRecognizer', () => ({ recognizer: recognizer(openAiUrl), speech: { pcm: noisePcm(0, 1), language: 'en' } }));
describeSpeechRecognizerContract('SherpaRecognizer with a transducer', () => ({ recognizer: recognizer(() => 'sherpa:parakeet-tdt-0.6b-v2'), speech: { pcm: noisePcm(0.8, 1.28, 0.92), language: 'en' } }));
describeSpeechRecognizerContract('SherpaRecognizer with a Whisper', () => ({ recognizer: recognizer(() => 'sherpa:whisper-tiny'), speech: { pcm: noisePcm(0.4, 1.8, 1), language: 'en' } }));

const diarizer = (url: string): SpeakerDiarizer => once(`speakers ${url}`, () => diarizerFromUrl(url, { modelsFolder }));
const dialogue = dialoguePcm('two');
const conversation = async () => ({ seconds: dialogue.byteLength / 32_000, pieces: await piecesOf(dialogue, 30) });

describeSpeakerDiarizerContract('BuiltInDiarizer', () => ({ diarizer: diarizer('built-in:'), conversation }));
describeSpeakerDiarizerContract('FixtureDiarizer', () => ({ diarizer: diarizer('fixture:'), conversation }));
describeSpeakerDiarizerContract('SherpaDiarizer', () => ({ diarizer: diarizer('sherpa:?threads=1'), conversation: async () => ({ seconds: 12, pieces: [{ start: 0, pcm: oneBlock(tones()), speech: [] }] }) }));

describeTextEmbedderContract('StaticEmbedder', () => once('static', () => embedderFromUrl('static:', { dimensions: 256 })));
describeTextEmbedderContract('OpenAiEmbedder', () => once('embedder', () => embedderFromUrl(`${openAiUrl()}?maxBatch=8`, { dimensions: 3, apiKey: 'sk-test' })));

describeLanguageModelContract('OpenAiLanguageModel', () => once('model', () => languageModelFromUrl(`${openAiUrl()}?model=any`, { apiKey: 'sk-test' }) as LanguageModel));

/** Two people of the tiny model: a high and a low tone, 5 s each, with a pause between. */
function tones(): Uint8Array {
  const samples = Int16Array.from({ length: 12 * 16_000 }, (_, index) => {
    const seconds = index / 16_000;
    const hertz = seconds < 5 ? 3000 : seconds < 6 || seconds >= 11 ? 0 : 200;
    return 10_000 * Math.sin(2 * Math.PI * hertz * seconds);
  });
  return new Uint8Array(samples.buffer);
}

async function* oneBlock(pcm: Uint8Array): AsyncGenerator<Uint8Array> {
  yield pcm;
}
