import type { Provider } from '@nestjs/common';
import { estimateTokens, languageModelFromUrl, TokenMetrics, type LanguageModel, type TextEmbedder } from '@parlance/engines';
import type { Metrics } from '@parlance/platform';
import { CONFIG, METRICS } from '@parlance/runtime';
import { TEXT_EMBEDDER } from '../indexing/text-embedder.provider.js';
import { TranscriptSource } from '../indexing/transcript-source.js';
import type { SearchConfig } from '../search.config.js';
import { TranscriptSearch } from '../searching/transcript-search.js';
import type { ChatEngine } from './chat-engine.js';
import { ExtractiveChat } from './extractive-chat.js';
import { ModelChat } from './model-chat.js';
import { SourceLines } from './source-lines.js';

/** The language model that LANGUAGE_MODEL_URL names, or undefined. */
const LANGUAGE_MODEL = Symbol('LanguageModel');
export const CHAT_ENGINE = Symbol('ChatEngine');

/** Answers by the language model if there is one, else by the built-in engine. Throws ConfigError when the model's URL is wrong. */
export const chatEngine: Provider[] = [
  {
    provide: LANGUAGE_MODEL,
    useFactory: ({ LANGUAGE_MODEL_URL, LANGUAGE_MODEL_API_KEY }: SearchConfig) => languageModelFromUrl(LANGUAGE_MODEL_URL, { apiKey: LANGUAGE_MODEL_API_KEY }),
    inject: [CONFIG],
  },
  {
    provide: CHAT_ENGINE,
    useFactory: (model: LanguageModel | undefined, metrics: Metrics, embedder: TextEmbedder): ChatEngine =>
      model ? new ModelChat(model, new TokenMetrics(metrics)) : new ExtractiveChat(embedder),
    inject: [LANGUAGE_MODEL, METRICS, TEXT_EMBEDDER],
  },
  {
    provide: SourceLines,
    useFactory: (search: TranscriptSearch, source: TranscriptSource, model: LanguageModel | undefined) =>
      new SourceLines(search, source, (text) => model?.countTokens(text) ?? estimateTokens(text)),
    inject: [TranscriptSearch, TranscriptSource, LANGUAGE_MODEL],
  },
];
