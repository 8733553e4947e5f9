import { expect, it } from '@jest/globals';
import { JOB_INPUTS } from './summary-record.js';

it('a record of version 1 keeps the runs of its inputs', () => {
  const first = { id: 'job_1', createdAt: '2026-01-01T00:00:00.000Z', jobId: 'job_1', transcriptRun: 2, speakersRun: 1 };
  expect(JOB_INPUTS.schema?.upgrade(first, 1)).toMatchObject({ id: 'job_1', state: 'active', runs: {}, transcriptRun: 2, speakersRun: 1 });
});
