import { join } from 'node:path';
import { z } from 'zod';
import { EngineUrl } from '../engine-url.js';
import { UnknownModel } from '../speech/sherpa/sherpa-model.js';
import type { SpeechProbabilities } from '../voice-activity/speech-probabilities.js';
import { openAiRealtimeEngine } from './realtime/openai-realtime-recognizer.js';
import { sherpaOnlineModel } from './sherpa/online-model.js';
import { sherpaStreamingEngine } from './sherpa/sherpa-streaming-recognizer.js';
import type { StreamingEngine } from './streaming-engine.js';

interface StreamingDependencies {
  speech: SpeechProbabilities;
  /** For `openai-realtime+…`. */
  apiKey?: string;
  /** The folder of the catalogue's models for `sherpa-online:`: MODELS_FOLDER. */
  modelsFolder?: string;
}

const API_KEY_SETTING = 'LIVE_ENGINE_API_KEY';
const SETTING = { name: 'LIVE_ENGINE_URL', takes: 'openai-realtime+https://host/v1 or sherpa-online:<model>' };

const count = z.coerce.number().int().positive();
const yesOrNo = z.enum(['true', 'false']).transform((text) => text === 'true');
const languages = z
  .string()
  .regex(/^[a-z]{2,3}(,[a-z]{2,3})*$/)
  .transform((codes) => codes.split(','));

const SHERPA = z.strictObject({
  formatsText: yesOrNo.optional(),
  threads: count.optional(),
  idleSeconds: count.optional(),
  timeoutSeconds: count.optional(),
  languages: languages.optional(),
});

const REALTIME = z.strictObject({
  model: z.string().default('gpt-4o-transcribe'),
  modelInUrl: yesOrNo.optional(),
  rate: z
    .enum(['16000', '24000'])
    .transform((rate): 16_000 | 24_000 => (rate === '16000' ? 16_000 : 24_000))
    .optional(),
  timeoutSeconds: count.optional(),
  maxSessionMinutes: count.optional(),
});

/**
 * The engine that LIVE_ENGINE_URL names: `sherpa-online:<model or folder>[?threads=&idleSeconds=&timeoutSeconds=&languages=&formatsText=]` or
 * `openai-realtime+https://host/v1[?model=&modelInUrl=&rate=&timeoutSeconds=&maxSessionMinutes=]` (or `openai-realtime+http:`). Nothing
 * is started or loaded here. @throws ConfigError naming what is wrong with the URL, which it does not repeat: it may hold a secret.
 */
export function streamingEngineFromUrl(url: string, { speech, apiKey, modelsFolder = join('data', 'models') }: StreamingDependencies): StreamingEngine {
  const engine = new EngineUrl(SETTING, url);
  switch (engine.scheme) {
    case 'sherpa-online:':
      return sherpaEngine(engine, modelsFolder);
    case 'openai-realtime+http:':
    case 'openai-realtime+https:':
      return openAiRealtimeEngine({ ...engine.options(REALTIME), baseUrl: engine.serverUrl(API_KEY_SETTING), ...(apiKey !== undefined && { apiKey }) }, speech);
    default:
      throw engine.unknownScheme();
  }
}

function sherpaEngine(engine: EngineUrl, modelsFolder: string): StreamingEngine {
  const { languages: spoken, ...options } = engine.options(SHERPA);
  try {
    return sherpaStreamingEngine({ ...options, model: sherpaOnlineModel(engine.path(), modelsFolder, spoken) });
  } catch (error) {
    throw error instanceof UnknownModel ? engine.wrong(error.message) : error;
  }
}
