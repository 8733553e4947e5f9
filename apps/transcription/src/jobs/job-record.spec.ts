import { expect, it } from '@jest/globals';
import { JOBS } from './job-record.js';

const FIRST = { id: 'job_1', createdAt: '2026-01-01T00:00:00.000Z', accountId: 'acc_1', state: 'active', startedRun: 2 };

it('a record of version 1 keeps what it learned, and which runs began and failed', () => {
  const media = { run: 2, planKey: 'plan.json', chunksTotal: 3, duration: 60 };
  expect(JOBS.schema?.upgrade({ ...FIRST, media, failedRun: 1 } as never, 1)).toMatchObject({
    state: 'active',
    media,
    runs: { transcription: { started: 2, ended: 1, outcome: { status: 'failed' } }, diarization: { started: 0, ended: 0 } },
  });
});

it('a tombstone of version 1 stays one, and is not reported again', () => {
  const upgraded = JOBS.schema?.upgrade({ ...FIRST, state: 'deleted', startedRun: 0, erasedAt: '2026-01-02T00:00:00.000Z' } as never, 1);
  expect(upgraded).toMatchObject({ state: 'deleted', erasure: { reported: true } });
});
