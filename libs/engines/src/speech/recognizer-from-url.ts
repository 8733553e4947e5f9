import { join } from 'node:path';
import { z } from 'zod';
import { EngineUrl } from '../engine-url.js';
import { FixtureRecognizer } from './fixture/fixture-recognizer.js';
import { OpenAiRecognizer } from './openai/openai-recognizer.js';
import { PocketsphinxRecognizer } from './pocketsphinx/pocketsphinx-recognizer.js';
import { sherpaModel, UnknownModel } from './sherpa/sherpa-model.js';
import { SherpaRecognizer } from './sherpa/sherpa-recognizer.js';
import type { SpeechRecognizer } from './speech-recognizer.js';

export const DEFAULT_SPEECH_ENGINE_URL = 'pocketsphinx:';

export interface RecognizerDependencies {
  /** For `openai+…`. */
  apiKey?: string;
  /** The folder in which an engine that runs as a program keeps the files of its calls; default: the system's. */
  temporaryFolder?: string;
  /** The folder of the catalogue's models for `sherpa:`: MODELS_FOLDER. */
  modelsFolder?: string;
  fetch?: typeof globalThis.fetch;
  /** The settings that hold the URL and the key, for messages; default: SPEECH_ENGINE_URL and SPEECH_ENGINE_API_KEY. */
  setting?: { name: string; key: string };
}

const SETTING = { name: 'SPEECH_ENGINE_URL', key: 'SPEECH_ENGINE_API_KEY' };
const TAKES = 'pocketsphinx:, openai+https://host/v1, sherpa:<model> or fixture:';

const count = z.coerce.number().int().positive();
const times = z.coerce.number().int().nonnegative();

const yesOrNo = z.enum(['true', 'false']).transform((text) => text === 'true');

const POCKETSPHINX = z.strictObject({
  binary: z.string().optional(),
  model: z.string().optional(),
  parallelism: count.optional(),
});
const OPENAI = z.strictObject({
  model: z.string().default('whisper-1'),
  parallelism: count.optional(),
  timeoutSeconds: count.optional(),
  maxRetries: times.optional(),
});
const SHERPA = z.strictObject({
  formatsText: yesOrNo.optional(),
  parallelism: count.optional(),
  threads: count.optional(),
  idleSeconds: count.optional(),
  languages: z
    .string()
    .regex(/^[a-z]{2,3}(,[a-z]{2,3})*$/)
    .transform((codes) => codes.split(','))
    .optional(),
});
const FIXTURE = z.strictObject({
  formatsText: yesOrNo.optional(),
  words: z
    .string()
    .transform((text) => text.split(','))
    .optional(),
  language: z.string().optional(),
  languageConfidence: z.coerce.number().min(0).max(1).optional(),
  delayMs: times.optional(),
  failTimes: times.optional(),
  hangTimes: times.optional(),
  crashMarker: z.string().optional(),
  callLog: z.string().optional(),
  parallelism: count.optional(),
  maxChunkSeconds: count.optional(),
  idealChunkSeconds: count.optional(),
});

/**
 * The engine that SPEECH_ENGINE_URL names:
 * `pocketsphinx:[?binary=&model=&parallelism=]`, `openai+https://host/v1[?model=&parallelism=&timeoutSeconds=&maxRetries=]`
 * (or `openai+http:`), `sherpa:<model or folder>[?parallelism=&threads=&idleSeconds=&languages=]`, `fixture:[?…]` (tests). Nothing is started or loaded here.
 * @throws ConfigError naming what is wrong with the URL, which it does not repeat: it may hold a secret.
 */
export function recognizerFromUrl(url: string, { temporaryFolder, modelsFolder = join('data', 'models'), setting = SETTING, ...api }: RecognizerDependencies = {}): SpeechRecognizer {
  const engine = new EngineUrl({ name: setting.name, takes: TAKES }, url);
  switch (engine.scheme) {
    case 'pocketsphinx:':
      return new PocketsphinxRecognizer({ ...engine.options(POCKETSPHINX), ...(temporaryFolder !== undefined && { temporaryFolder }) });
    case 'openai+http:':
    case 'openai+https:':
      return new OpenAiRecognizer({ ...engine.options(OPENAI), baseUrl: engine.serverUrl(setting.key), ...api });
    case 'sherpa:':
      return sherpaRecognizer(engine, modelsFolder);
    case 'fixture:':
      return new FixtureRecognizer(engine.options(FIXTURE));
    default:
      throw engine.unknownScheme();
  }
}

function sherpaRecognizer(engine: EngineUrl, modelsFolder: string): SpeechRecognizer {
  const { languages, ...options } = engine.options(SHERPA);
  try {
    return new SherpaRecognizer({ ...options, model: sherpaModel(engine.path(), modelsFolder, languages) });
  } catch (error) {
    throw error instanceof UnknownModel ? engine.wrong(error.message) : error;
  }
}
