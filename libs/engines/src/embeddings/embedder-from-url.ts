import { ConfigError } from '@parlance/platform';
import { z } from 'zod';
import { EngineUrl } from '../engine-url.js';
import { OpenAiEmbedder } from './openai/openai-embedder.js';
import { StaticEmbedder } from './static/static-embedder.js';
import type { TextEmbedder } from './text-embedder.js';

interface EmbedderDependencies {
  /** The dimensions of its vectors, which are those of the index. */
  dimensions: number;
  /** For `openai+…`. */
  apiKey?: string;
  fetch?: typeof globalThis.fetch;
}

const SETTING = { name: 'EMBEDDINGS_ENGINE_URL', takes: 'static: or openai+https://host/v1' };

const count = z.coerce.number().int().positive();

const STATIC = z.strictObject({});
const OPENAI = z.strictObject({
  model: z.string().default('text-embedding-3-small'),
  sendDimensions: z.enum(['true', 'false']).transform((value) => value === 'true').optional(),
  maxBatch: count.max(2048).optional(),
  maxTokens: count.optional(),
  timeoutSeconds: count.optional(),
  maxRetries: z.coerce.number().int().nonnegative().optional(),
  queryPrefix: z.string().optional(),
  passagePrefix: z.string().optional(),
});

/**
 * The engine that EMBEDDINGS_ENGINE_URL names: `static:` or
 * `openai+https://host/v1[?model=&sendDimensions=&maxBatch=&maxTokens=&timeoutSeconds=&maxRetries=&queryPrefix=&passagePrefix=]` (or `openai+http:`).
 * @throws ConfigError naming what is wrong with the URL, which it does not repeat: it may hold a secret.
 */
export function embedderFromUrl(url: string, { dimensions, ...api }: EmbedderDependencies): TextEmbedder {
  const engine = new EngineUrl(SETTING, url);
  switch (engine.scheme) {
    case 'static:':
      engine.options(STATIC);
      return staticEmbedder(dimensions);
    case 'openai+http:':
    case 'openai+https:':
      return new OpenAiEmbedder({ ...engine.options(OPENAI), baseUrl: engine.serverUrl('EMBEDDINGS_ENGINE_API_KEY'), dimensions, ...api });
    default:
      throw engine.unknownScheme();
  }
}

function staticEmbedder(dimensions: number): TextEmbedder {
  const embedder = new StaticEmbedder();
  if (dimensions !== embedder.info.dimensions) throw new ConfigError([`SEARCH_DIMENSIONS: the built-in embeddings have ${embedder.info.dimensions} dimensions`]);
  return embedder;
}
