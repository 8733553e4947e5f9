import { Controller, Inject } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import type { search } from '@parlance/contracts';
import type { TextEmbedder } from '@parlance/engines';
import type { TranscriptSearch } from '../searching/transcript-search.js';
import { EMBEDDER, TRANSCRIPT_SEARCH } from '../tokens.js';
import { pageMessage, queryOf } from './search-messages.js';

/** SearchService: what the gateway asks for. */
@Controller()
export class SearchController {
  constructor(
    @Inject(TRANSCRIPT_SEARCH) private readonly transcripts: TranscriptSearch,
    @Inject(EMBEDDER) private readonly embedder: TextEmbedder,
  ) {}

  @GrpcMethod('SearchService', 'getEngine')
  getEngine(): search.GetEngineResponse {
    const { name, languages } = this.embedder.info;
    return { engine: { name, languages: [...languages], available: true, detectsLanguage: false, vocabulary: false, wordTimes: false } };
  }

  @GrpcMethod('SearchService', 'search')
  async search(request: search.SearchRequest): Promise<search.SearchResponse> {
    return pageMessage(await this.transcripts.search(queryOf(request)));
  }
}
