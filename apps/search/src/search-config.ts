import { languageModelConfig } from '@parlance/engines';
import { integer } from '@parlance/platform';
import { z } from 'zod';

/** Most that a vector of OpenSearch may have (https://docs.opensearch.org/docs/latest/field-types/supported-field-types/knn-vector/). */
const MAX_DIMENSIONS = 16_000;

/** Settings of search and chat. */
export const searchConfig = {
  SEARCH_DIMENSIONS: integer(1, MAX_DIMENSIONS).default(256).describe('Dimensions of the embeddings, as the engine makes them; another number needs `parlance-admin search reindex`'),
  EMBEDDINGS_ENGINE_URL: z
    .string()
    .default('static:')
    .describe('Embedding engine: static: (built-in, English, 256 dimensions) or openai+https://host/v1?model=…; with another one, the transcripts that are indexed already are found by their words alone until the service has indexed them anew, which it does by itself'),
  EMBEDDINGS_ENGINE_API_KEY: z.string().optional().describe('Secret: key of an OpenAI-compatible embedding engine'),
  ...languageModelConfig,
  CHAT_TIMEOUT_SECONDS: integer(1, 600).default(120).describe('Seconds that an answer may take'),
} as const;
