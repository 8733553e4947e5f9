import { expect, it } from '@jest/globals';
import { JOBS, type SpeakerResult } from './speaker-record.js';

const FIRST = { id: 'job_1', createdAt: '2026-01-01T00:00:00.000Z', accountId: 'acc_1', state: 'active', recording: { run: 1, planKey: 'plan.json' }, startedRun: 2, endedRun: 1 };

it('a record of version 1 keeps its result and which runs began and ended', () => {
  const result: SpeakerResult = { sha256: 'abc', turnsKey: 'turns.json', speakerCount: 2, turnCount: 3, engine: 'built-in', warnings: [] };
  expect(JOBS.schema?.upgrade({ ...FIRST, result } as never, 1)).toEqual({
    id: 'job_1',
    createdAt: '2026-01-01T00:00:00.000Z',
    accountId: 'acc_1',
    state: 'active',
    runs: { diarization: { started: 2, ended: 1, outcome: { status: 'completed' } } },
    result,
  });
});

it('a record of version 1 whose run ended without a result is one that failed', () => {
  expect(JOBS.schema?.upgrade(FIRST as never, 1)).toMatchObject({ runs: { diarization: { ended: 1, outcome: { status: 'failed', error: { retryable: true } } } } });
});
