import { z } from 'zod';
import { EngineUrl } from '../engine-url.js';
import type { LanguageModel } from './language-model.js';
import { OpenAiLanguageModel } from './openai/openai-language-model.js';

export const NO_LANGUAGE_MODEL_URL = 'built-in:';

/** For every service that writes by a language model: one setting for all of them. */
export const languageModelConfig = {
  LANGUAGE_MODEL_URL: z
    .string()
    .default(NO_LANGUAGE_MODEL_URL)
    .describe('Language model for summaries, highlights and chat: built-in: (no model; English, extractive) or openai+https://host/v1?model=…&contextTokens=…'),
  LANGUAGE_MODEL_API_KEY: z.string().optional().describe('Secret: API key of the language model’s server'),
} as const;

interface LanguageModelDependencies {
  apiKey?: string | undefined;
  /** The setting that has the URL; that of its key ends in `_API_KEY` instead of `_URL`. */
  setting?: `${string}_URL`;
  fetch?: typeof globalThis.fetch;
}

const TAKES = 'built-in: or openai+https://host/v1?model=…';

const count = z.coerce.number().int().positive();

const OPENAI = z.strictObject({
  model: z.string().default('gpt-4o-mini'),
  contextTokens: count.min(2000).optional(),
  maxOutputTokens: count.optional(),
  timeoutSeconds: count.optional(),
  maxRetries: z.coerce.number().int().nonnegative().optional(),
});

/**
 * The model that LANGUAGE_MODEL_URL, or the setting given, names: `openai+https://host/v1[?model=&contextTokens=&maxOutputTokens=&timeoutSeconds=&maxRetries=]`
 * (or `openai+http:`). Nothing is loaded or called here.
 * @returns undefined for `built-in:`: there is none, and each service has what it can do without
 * @throws ConfigError naming what is wrong with the URL, which it does not repeat: it may hold a secret
 */
export function languageModelFromUrl(url: string, { apiKey, setting = 'LANGUAGE_MODEL_URL', fetch }: LanguageModelDependencies = {}): LanguageModel | undefined {
  const engine = new EngineUrl({ name: setting, takes: TAKES }, url);
  switch (engine.scheme) {
    case 'built-in:':
      return undefined;
    case 'openai+http:':
    case 'openai+https:':
      return new OpenAiLanguageModel({ ...engine.options(OPENAI), baseUrl: engine.serverUrl(setting.replace(/URL$/u, 'API_KEY')), ...(apiKey !== undefined && { apiKey }), ...(fetch && { fetch }) });
    default:
      throw engine.unknownScheme();
  }
}
