import { describe, expect, it } from '@jest/globals';
import type { common } from '@parlance/contracts';
import { AppError, silentLogger } from '@parlance/platform';
import { SearchStage, type SearchStageParts } from './search-stage.js';

/** What the job's owner is told when indexing fails for this. */
async function told(thrown: unknown): Promise<common.Failure[]> {
  const failures: common.Failure[] = [];
  const parts = {
    jobs: { fail: async (_job: unknown, error: common.Failure) => void failures.push(error) },
    indexer: { index: () => Promise.reject(thrown) },
    erasures: { has: async () => false },
    log: silentLogger(),
  };
  await new SearchStage(parts as unknown as SearchStageParts).giveUp({ jobId: 'job_1', accountId: 'acc_1', run: 1 }, thrown);
  return failures;
}

describe('the stage search that failed', () => {
  it('says why in the engine’s words, and of what is inside nothing', async () => {
    expect(await told(new AppError({ kind: 'timeout', code: 'engine_timeout', message: 'The embedding engine took too long.' }))).toMatchObject([{ code: 'engine_timeout', retryable: true }]);
    const inside = new AppError({ kind: 'conflict', code: 'search_mapping_conflict', message: 'The index of os-1.internal has 128 dimensions.', retryable: false });
    expect(await told(inside)).toEqual([{ code: 'internal', message: 'An internal error occurred.', retryable: true }]);
  });
});
