import type { Provider } from '@nestjs/common';
import { embedderFromUrl } from '@parlance/engines';
import { CONFIG } from '@parlance/runtime';
import type { SearchConfig } from '../search.config.js';

export const TEXT_EMBEDDER = Symbol('TextEmbedder');

/** The engine that EMBEDDINGS_ENGINE_URL names. Throws ConfigError when the URL is wrong. */
export const textEmbedder: Provider = {
  provide: TEXT_EMBEDDER,
  useFactory: ({ EMBEDDINGS_ENGINE_URL, EMBEDDINGS_ENGINE_API_KEY, SEARCH_DIMENSIONS }: SearchConfig) =>
    embedderFromUrl(EMBEDDINGS_ENGINE_URL, {
      dimensions: SEARCH_DIMENSIONS,
      ...(EMBEDDINGS_ENGINE_API_KEY !== undefined && { apiKey: EMBEDDINGS_ENGINE_API_KEY }),
    }),
  inject: [CONFIG],
};
