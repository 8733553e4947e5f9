import { describe, expect, it } from '@jest/globals';
import { AppError } from './app-error.js';
import { isFinalFailure, stageFailure } from './stage-failure.js';

const refused = new AppError({ kind: 'unavailable', code: 'engine_refused', message: 'The language model refused to answer.', retryable: false });
const mapping = new AppError({ kind: 'conflict', code: 'search_mapping_conflict', message: 'passages-v3 on os-1.internal has 128 dimensions.' });

describe('why a stage failed', () => {
  it('is in the engine’s words where its code is known', () => {
    expect(stageFailure(refused)).toEqual({ code: 'engine_refused', message: refused.message, retryable: false });
    expect(stageFailure(Object.assign(new Error('write /data/x'), { code: 'ENOSPC' }))).toMatchObject({ code: 'storage_full', message: 'The storage is full.' });
  });

  it('tells nothing of what is inside', () => {
    for (const thrown of [mapping, new Error('ENOENT /var/lib/secret'), 'thrown']) {
      expect(stageFailure(thrown)).toEqual({ code: 'internal', message: 'An internal error occurred.', retryable: true });
    }
  });

  it('is final where the engine says so itself', () => {
    expect([refused, mapping, new Error('anything')].map(isFinalFailure)).toEqual([true, false, false]);
  });
});
