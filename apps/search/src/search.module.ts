import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ingest, transcription } from '@parlance/contracts';
import type { TextEmbedder } from '@parlance/engines';
import { JOB_SERVICE, servicePort, TRANSCRIPT_SERVICE } from '@parlance/runtime';
import type { SearchIndex } from '@parlance/search-index';
import { chatEngine } from './chat/chat-engine.provider.js';
import { Conversations } from './chat/conversations.js';
import { TranscriptChat } from './chat/transcript-chat.js';
import { AccountDataController } from './grpc/account-data.controller.js';
import { ChatController } from './grpc/chat.controller.js';
import { SearchController } from './grpc/search.controller.js';
import { EmbeddingEngines } from './indexing/embedding-engines.js';
import { EmbeddingRenewal } from './indexing/embedding-renewal.js';
import { IndexedJobs } from './indexing/indexed-jobs.js';
import { SearchHoldings } from './indexing/search-holdings.js';
import { SearchLedger } from './indexing/search-ledger.js';
import { SearchStage } from './indexing/search-stage.js';
import { SearchStages } from './indexing/search-stages.js';
import { TextChanges } from './indexing/text-changes.js';
import { SpeakerChanges } from './indexing/speaker-changes.js';
import { TEXT_EMBEDDER, textEmbedder } from './indexing/text-embedder.provider.js';
import { TranscriptIndexer } from './indexing/transcript-indexer.js';
import { TranscriptSource } from './indexing/transcript-source.js';
import { SearchConsumers } from './search.consumers.js';
import { SEARCH_INDEX, searchIndex } from './searching/search-index.provider.js';
import { TranscriptSearch } from './searching/transcript-search.js';

const PORTS = [
  textEmbedder,
  searchIndex,
  servicePort(JOB_SERVICE, 'ingest', ingest.JobServiceDefinition),
  servicePort(TRANSCRIPT_SERVICE, 'transcription', transcription.TranscriptServiceDefinition),
];
const CHAT_PROVIDERS = [...chatEngine, Conversations, TranscriptChat];
const INDEXING_PROVIDERS = [EmbeddingEngines, EmbeddingRenewal, IndexedJobs, SearchHoldings, SearchLedger, SearchStage, SearchStages, SpeakerChanges, TextChanges, TranscriptIndexer, TranscriptSource];

@Module({
  controllers: [AccountDataController, SearchController, ChatController],
  providers: [...PORTS, ...CHAT_PROVIDERS, ...INDEXING_PROVIDERS, TranscriptSearch, SearchConsumers],
})
export class SearchModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(EmbeddingRenewal) private readonly renewal: EmbeddingRenewal,
    @Inject(SEARCH_INDEX) private readonly index: SearchIndex,
    @Inject(TEXT_EMBEDDER) private readonly embedder: TextEmbedder,
  ) {}

  /** Does not wait, since the database may start later than the service. */
  onApplicationBootstrap(): void {
    this.renewal.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.renewal.stop();
    await this.index.close();
    await this.embedder.close();
  }
}
