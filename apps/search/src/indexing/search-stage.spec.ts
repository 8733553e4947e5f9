import { describe, expect, it } from '@jest/globals';
import { AppError, silentLogger } from '@parlance/platform';
import { TO_EMBED } from './indexed-job.js';
import { SearchStage } from './search-stage.js';
import type { TranscriptIndexer } from './transcript-indexer.js';

const RUN = { jobId: 'job_1', accountId: 'acc_1', run: 1 };
const FAILURE = { code: 'engine_failed', message: 'The engine is broken.', retryable: false };
const embedder = { info: { name: 'model', dimensions: 2, languages: [], maxTokens: 100, maxBatch: 10 }, embed: async () => [], close: async () => {} };

/** What the stage stores after its last try, with an index that answers so. */
const afterLastTry = async (index: (isEmbedded: boolean | undefined) => Promise<{ passages: number; embedder: string }>) => {
  const indexer = { index: (_job: unknown, _signal: unknown, isEmbedded?: boolean) => index(isEmbedded) } as unknown as TranscriptIndexer;
  return new SearchStage(indexer, embedder, silentLogger()).definition.failed?.(RUN, FAILURE);
};

describe('a transcript whose embeddings fail for good', () => {
  it('is indexed by its words, and marked to get its vectors later', async () => {
    expect(await afterLastTry(async (isEmbedded) => ({ passages: isEmbedded === false ? 3 : 0, embedder: '' }))).toEqual({ passages: 3, embedder: TO_EMBED });
  });

  it('waits for an index that is away, and for a service that it reads from', async () => {
    for (const code of ['search_unavailable', 'service_unavailable'] as const) {
      const away = new AppError({ kind: 'unavailable', code, message: 'Away.' });
      await expect(afterLastTry(() => Promise.reject(away))).rejects.toBe(away);
    }
  });

  it('is not found at all when the index refuses it', async () => {
    const refused = new AppError({ kind: 'conflict', code: 'search_mapping_conflict', message: 'Refused.' });
    expect(await afterLastTry(() => Promise.reject(refused))).toBeUndefined();
  });
});
