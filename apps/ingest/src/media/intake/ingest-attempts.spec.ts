import { describe, expect, it } from '@jest/globals';
import { AppError } from '@parlance/platform';
import { ingestFailure } from './ingest-attempts.js';

describe('the failure of a job that waited for scratch room for as long as is waited', () => {
  it('has the public code of full storage, since its own is of this service alone', () => {
    const busy = new AppError({ kind: 'unavailable', code: 'scratch_busy', message: 'Other recordings occupy the scratch space.' });
    expect(ingestFailure(busy)).toEqual({ code: 'storage_full', message: busy.message, retryable: true });
  });
});
