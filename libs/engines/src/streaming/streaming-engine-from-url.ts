import { join } from 'node:path';
import { z } from 'zod';
import { EngineUrl } from '../engine-url.js';
import { UnknownModel } from '../speech/sherpa/sherpa-model.js';
import type { SpeechProbabilities } from '../voice-activity/speech-probabilities.js';
import { sherpaOnlineModel } from './sherpa/online-model.js';
import { sherpaStreamingEngine } from './sherpa/sherpa-streaming-recognizer.js';
import type { StreamingEngine } from './streaming-engine.js';

export interface StreamingDependencies {
  speech: SpeechProbabilities;
  /** For `openai-realtime+…`. */
  apiKey?: string;
  /** The folder of the catalogue's models for `sherpa-online:`: MODELS_FOLDER. */
  modelsFolder?: string;
}

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
  languages: languages.optional(),
});

/**
 * The engine that LIVE_ENGINE_URL names: `sherpa-online:<model or folder>[?threads=&idleSeconds=&languages=&formatsText=]`. Nothing
 * is started or loaded here. @throws ConfigError naming what is wrong with the URL, which it does not repeat: it may hold a secret.
 */
export function streamingEngineFromUrl(url: string, { modelsFolder = join('data', 'models') }: StreamingDependencies): StreamingEngine {
  const engine = new EngineUrl(SETTING, url);
  switch (engine.scheme) {
    case 'sherpa-online:':
      return sherpaEngine(engine, modelsFolder);
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
