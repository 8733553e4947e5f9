import type { TextEmbedder } from '@parlance/engines';
import type { Logger } from '@parlance/platform';
import type { SearchFilters, SearchIndex, SearchMode, SearchPage } from '@parlance/search-index';
import type { EmbeddingEngines } from '../indexing/embedding-engines.js';
import { knowsLanguage } from '../indexing/transcript-indexer.js';

/** Milliseconds that a search waits for the engine, before it goes on without. */
const EMBEDDING_DEADLINE_MS = 3000;
/** Characters: what follows is nobody's question, and would cost what a page costs. */
const MAX_EMBEDDED_LENGTH = 2000;

export interface TranscriptQuery {
  accountId: string;
  text: string;
  mode: SearchMode;
  filters: SearchFilters;
  limit: number;
  cursor?: string;
}

export interface TranscriptSearchParts {
  index: SearchIndex;
  embedder: TextEmbedder;
  engines: EmbeddingEngines;
  log: Logger;
}

/** Searches by words and by meaning, as far as the engine knows the language and answers; the page says which it was. */
export class TranscriptSearch {
  constructor(private readonly parts: TranscriptSearchParts) {}

  async search(query: TranscriptQuery): Promise<SearchPage> {
    const embedding = query.mode === 'lexical' ? undefined : await this.embeddingOf(query);
    return this.parts.index.search({ ...query, ...(embedding && { embedding }) });
  }

  private async embeddingOf({ accountId, text, filters }: TranscriptQuery): Promise<Float32Array | undefined> {
    const { embedder, engines, log } = this.parts;
    const { languages } = filters;
    if (languages && !languages.some((language) => knowsLanguage(embedder, language))) return undefined;
    try {
      if (!(await engines.canCompare(accountId))) return undefined;
      const texts = [text.slice(0, MAX_EMBEDDED_LENGTH).toWellFormed().replaceAll('\0', ' ')];
      const [embedding] = await embedder.embed({ texts, purpose: 'query', signal: AbortSignal.timeout(EMBEDDING_DEADLINE_MS) });
      return embedding;
    } catch (error) {
      log.warn({ account_id: accountId, err: error }, 'search without embedding');
      return undefined;
    }
  }
}
