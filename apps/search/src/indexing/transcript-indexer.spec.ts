import { describe, expect, it } from '@jest/globals';
import { ingest, transcription, transcripts } from '@parlance/contracts';
import { StaticEmbedder } from '@parlance/engines';
import type { IndexedJob, SearchIndex } from '@parlance/search-index';
import type { JobErasures } from '@parlance/runtime';
import { RunningTasks } from '@parlance/runtime';
import { silentLogger } from '@parlance/platform';
import type { IndexedJobs } from './indexed-jobs.js';
import { SearchStage } from './search-stage.js';
import { TranscriptIndexer } from './transcript-indexer.js';
import type { TranscriptSource } from './transcript-source.js';

const JOB = { jobId: 'job_1', accountId: 'acc_1', run: 1 };
const never = new AbortController().signal;
const jobs = { isWanted: async () => true } as unknown as IndexedJobs;

/** A transcript whose speakers change whenever it was read. */
function changing(): TranscriptSource {
  let version = 0;
  const open = async () => {
    version++;
    const header = transcription.TranscriptHeader.fromPartial({ language: 'en', version });
    const segments = (async function* () {
      yield transcripts.Segment.fromPartial({ segmentId: 'seg_000001', text: `Version ${version}.` });
    })();
    return { header, segments, close: async () => {} };
  };
  return { job: async () => ingest.Job.fromPartial({ createdAt: new Date(0) }), open } as unknown as TranscriptSource;
}

describe('indexing', () => {
  it('reads a transcript again that changed meanwhile, as the index refuses what is older', async () => {
    const given: number[] = [];
    const put = async ({ version }: IndexedJob) => given.push(version) > 1;
    const indexer = new TranscriptIndexer({ index: { put } as unknown as SearchIndex, embedder: new StaticEmbedder(), source: changing(), jobs });
    expect(await indexer.index(JOB, never)).toEqual({ passages: 1, embedder: 'static-english-256-v1' });
    expect(given).toEqual([1, 2]);
  });

  it('does not say that the index has what it refused', async () => {
    const indexer = new TranscriptIndexer({ index: { put: async () => false } as unknown as SearchIndex, embedder: new StaticEmbedder(), source: changing(), jobs });
    await expect(indexer.index(JOB, never)).rejects.toMatchObject({ code: 'transcript_changing', retryable: true });
  });

  it('removes what a killed process wrote of a job that was deleted meanwhile', async () => {
    const removed: string[] = [];
    const index = { deleteJob: async (_account: string, jobId: string) => void removed.push(jobId) } as unknown as SearchIndex;
    const erasures = { has: async () => true } as unknown as JobErasures;
    const gone = { remove: async () => true } as unknown as IndexedJobs;
    const source = changing();
    const indexer = new TranscriptIndexer({ index, embedder: new StaticEmbedder(), source, jobs: gone });
    await new SearchStage({ index, jobs: gone, indexer, source, erasures, running: new RunningTasks(), log: silentLogger() }).run(JOB, never);
    expect(removed).toEqual(['job_1']);
  });
});
