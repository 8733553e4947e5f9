import { expect, it } from '@jest/globals';
import { INDEXED_JOBS } from './indexed-job.js';

it('a record of version 1 keeps what the index has and which runs began and ended', () => {
  const first = { id: 'job_1', createdAt: '2026-01-01T00:00:00.000Z', accountId: 'acc_1', state: 'active', startedRun: 2, finishedRun: 1, passages: 3, embedder: 'static' };
  expect(INDEXED_JOBS.schema?.upgrade(first, 1)).toEqual({
    id: 'job_1',
    createdAt: '2026-01-01T00:00:00.000Z',
    accountId: 'acc_1',
    state: 'active',
    runs: { search: { started: 2, ended: 1, outcome: { status: 'completed' } } },
    passages: 3,
    embedder: 'static',
  });
});
