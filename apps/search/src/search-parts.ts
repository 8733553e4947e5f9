import { ingest, transcription } from '@parlance/contracts';
import { embedderFromUrl, type TextEmbedder } from '@parlance/engines';
import { JobErasures, RunningTasks } from '@parlance/runtime';
import type { SearchIndex } from '@parlance/search-index';
import { createChat } from './chat/chat-parts.js';
import { CONVERSATION_SOURCES, CONVERSATIONS } from './chat/conversation.js';
import { Conversations } from './chat/conversations.js';
import type { TranscriptChat } from './chat/transcript-chat.js';
import { EmbeddingEngines } from './indexing/embedding-engines.js';
import { EmbeddingRenewal } from './indexing/embedding-renewal.js';
import { INDEXED_JOBS } from './indexing/indexed-job.js';
import { IndexedJobs } from './indexing/indexed-jobs.js';
import { SearchStage } from './indexing/search-stage.js';
import { TranscriptIndexer } from './indexing/transcript-indexer.js';
import { TranscriptSource } from './indexing/transcript-source.js';
import type { SearchContext } from './search-context.js';
import { TranscriptSearch } from './searching/transcript-search.js';

/** The service's parts, put together. */
export interface SearchParts {
  index: SearchIndex;
  embedder: TextEmbedder;
  renewal: EmbeddingRenewal;
  stage: SearchStage;
  erasures: JobErasures;
  search: TranscriptSearch;
  chat: TranscriptChat;
  conversations: Conversations;
}

/** @throws ConfigError when the engine's URL is wrong. */
export async function createParts(context: SearchContext): Promise<SearchParts> {
  const { config, documents, clock, log } = context;
  const embedder = engineOf(config);
  const index = await context.openSearch(config.SEARCH_DIMENSIONS);
  const source = new TranscriptSource(context.connect('ingest', ingest.JobServiceClient), context.connect('transcription', transcription.TranscriptServiceClient));
  const jobs = new IndexedJobs(documents.collection(INDEXED_JOBS), clock, embedder.info.name);
  const conversations = new Conversations(documents.collection(CONVERSATIONS), documents.collection(CONVERSATION_SOURCES), clock);
  const engines = new EmbeddingEngines(documents, jobs, embedder.info.name, clock);
  const erasures = new JobErasures(context.name, documents, holdings(jobs, index, conversations), clock);
  const indexer = new TranscriptIndexer({ index, embedder, source, jobs });
  const stage = new SearchStage({ index, jobs, indexer, source, erasures, running: new RunningTasks(), log });
  const renewal = new EmbeddingRenewal({ jobs, engines, indexer, erasures, log });
  const search = new TranscriptSearch({ index, embedder, engines, log });
  const chat = createChat(context, { embedder, search, source, conversations, erasures });
  return { index, embedder, renewal, stage, erasures, search, chat, conversations };
}

const engineOf = ({ EMBEDDINGS_ENGINE_URL, EMBEDDINGS_ENGINE_API_KEY, SEARCH_DIMENSIONS }: SearchContext['config']): TextEmbedder =>
  embedderFromUrl(EMBEDDINGS_ENGINE_URL, {
    dimensions: SEARCH_DIMENSIONS,
    ...(EMBEDDINGS_ENGINE_API_KEY !== undefined && { apiKey: EMBEDDINGS_ENGINE_API_KEY }),
  });

/** Answers hold words of the transcript as passages do. */
const holdings = (jobs: IndexedJobs, index: SearchIndex, conversations: Conversations) => ({
  what: 'index_entries',
  count: async (jobId: string) => ((await jobs.get(jobId))?.passages ?? 0) + (await conversations.countOfJob(jobId)),
  remove: async (jobId: string) => {
    await conversations.removeOfJob(jobId);
    const job = await jobs.get(jobId);
    if (!job) return;
    await index.deleteJob(job.accountId, jobId);
    await jobs.remove(jobId);
  },
});
