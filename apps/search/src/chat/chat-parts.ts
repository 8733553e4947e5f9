import { estimateTokens, languageModelFromUrl, TokenMetrics, type TextEmbedder } from '@parlance/engines';
import type { JobErasures } from '@parlance/runtime';
import type { TranscriptSource } from '../indexing/transcript-source.js';
import type { SearchContext } from '../search-context.js';
import type { TranscriptSearch } from '../searching/transcript-search.js';
import type { ChatEngine } from './chat-engine.js';
import type { Conversations } from './conversations.js';
import { ExtractiveChat } from './extractive-chat.js';
import { ModelChat } from './model-chat.js';
import { SourceLines } from './source-lines.js';
import { TranscriptChat } from './transcript-chat.js';

export interface ChatSurroundings {
  embedder: TextEmbedder;
  search: TranscriptSearch;
  source: TranscriptSource;
  conversations: Conversations;
  erasures: JobErasures;
}

/** @throws ConfigError when the language model's URL is wrong */
export function createChat({ config, ids, log, metrics }: SearchContext, { embedder, search, source, conversations, erasures }: ChatSurroundings): TranscriptChat {
  const model = languageModelFromUrl(config.LANGUAGE_MODEL_URL, { apiKey: config.LANGUAGE_MODEL_API_KEY });
  const engine: ChatEngine = model ? new ModelChat(model, new TokenMetrics(metrics)) : new ExtractiveChat(embedder);
  const lines = new SourceLines(search, source, (text) => model?.countTokens(text) ?? estimateTokens(text));
  return new TranscriptChat({ engine, lines, conversations, erasures, ids, timeoutMs: config.CHAT_TIMEOUT_SECONDS * 1000, log });
}
