import { describe, expect, it } from '@jest/globals';
import { ingest, transcription, transcripts } from '@parlance/contracts';
import { StaticEmbedder } from '@parlance/engines';
import type { IndexedJob, SearchIndex } from '@parlance/search-index';
import { TranscriptIndexer } from './transcript-indexer.js';
import type { TranscriptSource } from './transcript-source.js';

const JOB = { jobId: 'job_1', accountId: 'acc_1', run: 1 };
const never = new AbortController().signal;
const ledger = { isErased: async () => false };

/** A transcript whose speakers change so many times, each time when it was just read. */
function changing(times = 1): TranscriptSource {
  let version = 1;
  const header = async () => transcription.TranscriptHeader.fromPartial({ language: 'en', version });
  const segments = async function* () {
    yield transcripts.Segment.fromPartial({ segmentId: 'seg_000001', text: `Version ${version}.` });
    if (version <= times) version += 1;
  };
  const open = async () => ({ header: await header(), segments: segments(), close: async () => {} });
  return { job: async () => ingest.Job.fromPartial({ createdAt: new Date(0) }), open, header } as unknown as TranscriptSource;
}

describe('indexing', () => {
  it('reads a transcript again that changed meanwhile, as the index refuses what is older', async () => {
    const given: number[] = [];
    const put = async ({ version }: IndexedJob) => given.push(version) > 1;
    const indexer = new TranscriptIndexer({ put } as unknown as SearchIndex, new StaticEmbedder(), changing(), ledger);
    expect(await indexer.index(JOB, never)).toEqual({ passages: 1, embedder: 'static-english-256-v1', textVersion: 2 });
    expect(given).toEqual([1, 2]);
  });

  it('does not say that the index has what it refused', async () => {
    const indexer = new TranscriptIndexer({ put: async () => false } as unknown as SearchIndex, new StaticEmbedder(), changing(), ledger);
    await expect(indexer.index(JOB, never)).rejects.toMatchObject({ code: 'transcript_changing', retryable: true });
  });
});
