import { join } from 'node:path';
import { events, ingest, transcription, transcripts } from '@parlance/contracts';
import type { TextEmbedder } from '@parlance/engines';
import { silentLogger, systemClock } from '@parlance/platform';
import { openSearchIndex } from '@parlance/search-index';
import { EngineGate, type StageStores, type StageUnderTest } from '@parlance/stage/contract';
import { Conversations } from '../src/chat/conversations.js';
import { SearchHoldings } from '../src/indexing/search-holdings.js';
import { SearchLedger } from '../src/indexing/search-ledger.js';
import { SearchStage } from '../src/indexing/search-stage.js';
import { SearchStages } from '../src/indexing/search-stages.js';
import { TranscriptIndexer } from '../src/indexing/transcript-indexer.js';
import type { JobRef, TranscriptSource } from '../src/indexing/transcript-source.js';

/** The stage search, with an embedding engine that the contract controls. The transcript of a job is its id. */
export async function searchUnderTest({ documents, tasks, folder }: StageStores): Promise<StageUnderTest> {
  const engine = new EngineGate();
  const index = await openSearchIndex(`sqlite:${join(folder, 'passages.db')}`, { dimensions: 2 });
  const embedder: TextEmbedder = {
    info: { name: 'gated', dimensions: 2, languages: [], maxTokens: 100, maxBatch: 10 },
    async embed({ texts, signal }) {
      await engine.pass(texts[0] ?? '', signal);
      return texts.map(() => new Float32Array([1, 0]));
    },
    close: async () => {},
  };
  const header = async () => transcription.TranscriptHeader.fromPartial({ language: 'en', version: 1 });
  const open = async ({ jobId }: JobRef) => {
    const segments = (async function* () {
      yield transcripts.Segment.fromPartial({ segmentId: 'seg_000001', text: jobId });
    })();
    return { header: await header(), segments, close: async () => {} };
  };
  const source = { job: async () => ingest.Job.fromPartial({ createdAt: new Date(0) }), open, header } as unknown as TranscriptSource;
  const ledger = new SearchLedger(documents, systemClock);
  const holdings = new SearchHoldings(ledger, new Conversations(documents, systemClock), index);
  const stage = new SearchStage(new TranscriptIndexer(index, embedder, source, ledger), embedder, silentLogger());
  return {
    stages: new SearchStages(stage, ledger, holdings, tasks, systemClock, silentLogger()),
    definition: stage.definition,
    engine,
    startEvent: async (run) => ({ type: 'transcript.completed', data: events.TranscriptCompleted.fromPartial(run) }),
    count: async ({ accountId, jobId }) => (await index.search({ accountId, text: `"${jobId}"`, mode: 'lexical', filters: { jobIds: [jobId] } })).hits.length,
    close: () => index.close(),
  };
}
