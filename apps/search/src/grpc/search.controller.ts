import { Controller, Inject } from '@nestjs/common';
import type { search, SearchService } from '@parlance/contracts';
import type { TextEmbedder } from '@parlance/engines';
import { TEXT_EMBEDDER } from '../indexing/text-embedder.provider.js';
import { TranscriptSearch } from '../searching/transcript-search.js';
import { pageMessage, queryOf } from './search-messages.js';

/** The part of SearchService that searches. */
@Controller()
export class SearchController implements Pick<SearchService, 'getEngine' | 'search'> {
  constructor(
    @Inject(TranscriptSearch) private readonly transcripts: TranscriptSearch,
    @Inject(TEXT_EMBEDDER) private readonly embedder: TextEmbedder,
  ) {}

  async getEngine(): Promise<search.GetEngineResponse> {
    const { name, languages } = this.embedder.info;
    return { engine: { name, languages: [...languages], available: true, detectsLanguage: false, vocabulary: false, wordTimes: false } };
  }

  async search(request: search.SearchRequest): Promise<search.SearchResponse> {
    return pageMessage(await this.transcripts.search(queryOf(request)));
  }
}
