import { Inject, Injectable } from '@nestjs/common';
import type { TextEmbedder } from '@parlance/engines';
import type { Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import type { SearchFilters, SearchIndex, SearchMode, SearchPage } from '@parlance/search-index';
import { EmbeddingEngines } from '../indexing/embedding-engines.js';
import { TEXT_EMBEDDER } from '../indexing/text-embedder.provider.js';
import { knowsLanguage } from '../indexing/transcript-indexer.js';
import { SEARCH_INDEX } from './search-index.provider.js';

/** Milliseconds that a search waits for the engine before it searches by words alone. */
const EMBEDDING_DEADLINE_MS = 3000;
/** Maximum characters of a query that are embedded. Questions are shorter, and a page of text would cost as much as a page. */
const MAX_EMBEDDED_LENGTH = 2000;

export interface TranscriptQuery {
  accountId: string;
  text: string;
  mode: SearchMode;
  filters: SearchFilters;
  limit: number;
  cursor?: string;
}

/** Searches by words, and by meaning where the engine supports the language and answers in time. The page says which of them was used. */
@Injectable()
export class TranscriptSearch {
  constructor(
    @Inject(SEARCH_INDEX) private readonly index: SearchIndex,
    @Inject(TEXT_EMBEDDER) private readonly embedder: TextEmbedder,
    @Inject(EmbeddingEngines) private readonly engines: EmbeddingEngines,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async search(query: TranscriptQuery): Promise<SearchPage> {
    const embedding = query.mode === 'lexical' ? undefined : await this.embeddingOf(query);
    return this.index.search({ ...query, ...(embedding && { embedding }) });
  }

  private async embeddingOf({ accountId, text, filters }: TranscriptQuery): Promise<Float32Array | undefined> {
    const { embedder, engines, log } = this;
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
