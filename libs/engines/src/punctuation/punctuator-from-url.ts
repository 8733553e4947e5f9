import { join } from 'node:path';
import { z } from 'zod';
import { EngineUrl } from '../engine-url.js';
import { NoPunctuator } from './no-punctuator.js';
import type { Punctuator } from './punctuator.js';
import { punctuationModel, UnknownPunctuationModel } from './sherpa/punctuation-model.js';
import { SherpaPunctuator } from './sherpa/sherpa-punctuator.js';

export const DEFAULT_PUNCTUATION_ENGINE_URL = 'rules:';

const SETTING = { name: 'PUNCTUATION_ENGINE_URL', takes: 'rules: or sherpa:<model or folder>' };

const count = z.coerce.number().int().positive();
const RULES = z.strictObject({});
const SHERPA = z.strictObject({
  parallelism: count.optional(),
  threads: count.optional(),
  idleSeconds: count.optional(),
});

/**
 * The punctuator that PUNCTUATION_ENGINE_URL names: `rules:`, which is none, or `sherpa:<model or folder>[?parallelism=&threads=&idleSeconds=]`.
 * Nothing is read, started or loaded here.
 * @throws ConfigError naming what is wrong with the URL.
 */
export function punctuatorFromUrl(url: string, { modelsFolder = join('data', 'models') }: { modelsFolder?: string } = {}): Punctuator {
  const engine = new EngineUrl(SETTING, url);
  switch (engine.scheme) {
    case 'rules:':
      engine.options(RULES);
      return new NoPunctuator();
    case 'sherpa:':
      return sherpaPunctuator(engine, modelsFolder);
    default:
      throw engine.unknownScheme();
  }
}

function sherpaPunctuator(engine: EngineUrl, modelsFolder: string): Punctuator {
  const options = engine.options(SHERPA);
  try {
    return new SherpaPunctuator({ ...options, model: punctuationModel(engine.path(), modelsFolder) });
  } catch (error) {
    throw error instanceof UnknownPunctuationModel ? engine.wrong(error.message) : error;
  }
}
