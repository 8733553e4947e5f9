import { describe, expect, it } from '@jest/globals';
import { engineTimeout } from '@parlance/engines';
import { AppError } from '@parlance/platform';
import { describeChunkFailure } from './chunk-task.js';

const task = { jobId: 'job_1', accountId: 'acc_1', run: 1, index: 2, total: 12, planKey: '' };
const chunk = { index: 2, start: 3660, end: 3690.5, ownStart: 3660, ownEnd: 3690.5, speech: [], audioKey: '' };

describe('describeChunkFailure', () => {
  it('says where in the media, and why', () => {
    expect(describeChunkFailure(task, chunk, engineTimeout())).toEqual({
      code: 'engine_timeout',
      message: 'Chunk 3 of 12 (01:01:00–01:01:30) could not be transcribed: The speech engine took too long.',
      retryable: true,
    });
  });

  it('says the chunk alone when its plan cannot be read', () => {
    expect(describeChunkFailure(task, undefined, engineTimeout()).message).toMatch(/^Chunk 3 of 12 could not/);
  });

  it('tells nothing of what is inside', () => {
    const { code, message } = describeChunkFailure(task, chunk, new Error('ENOENT /var/lib/secret'));
    expect(code).toBe('internal');
    expect(message).not.toContain('secret');
    const lost = new AppError({ kind: 'not_found', code: 'not_found', message: 'acc_1/job_1/plan.json was not found.' });
    expect(describeChunkFailure(task, chunk, lost)).toMatchObject({ code: 'internal', message: expect.not.stringContaining('plan.json') });
  });
});
