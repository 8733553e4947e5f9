import { languageModelConfig } from '@parlance/engines';
import { integer, type ConfigOf } from '@parlance/platform';
import { z } from 'zod';

/** Most that a vector of OpenSearch may have (https://docs.opensearch.org/docs/latest/field-types/supported-field-types/knn-vector/). */
const MAX_DIMENSIONS = 16_000;

/** Settings of search and chat. */
export const searchConfig = {
  SEARCH_DIMENSIONS: integer(1, MAX_DIMENSIONS).default(256).describe('Dimensions of the embeddings that the engine returns; to change them, run `parlance-admin search reindex`'),
  EMBEDDINGS_ENGINE_URL: z
    .string()
    .default('static:')
    .describe('Embedding engine: static: (built-in, English, 256 dimensions) or openai+https://host/v1?model=…. After a change, the service reindexes existing transcripts by itself; until then they are found by their words only'),
  EMBEDDINGS_ENGINE_API_KEY: z.string().optional().describe('Secret: API key of an OpenAI-compatible embedding engine'),
  ...languageModelConfig,
  CHAT_TIMEOUT_SECONDS: integer(1, 600).default(120).describe('Seconds that the embedding engine may take to respond'),
} as const;

export type SearchConfig = ConfigOf<typeof searchConfig>;
