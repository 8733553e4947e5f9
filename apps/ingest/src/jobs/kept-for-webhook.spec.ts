import { describe, expect, it } from '@jest/globals';
import { common } from '@parlance/contracts';
import type { JobInput } from './state/job-input.js';
import { EVERYTHING, FAILURE, mediaReady, play, queuedJob, transcribed } from './state/job.fixture.js';
import { ADD_ONS } from './state/job.js';
import { isKeptForItsWebhook } from './job-requests.js';

const { JOB_STATUS_COMPLETED, JOB_STATUS_FAILED } = common.JobStatus;
const briefly = queuedJob(common.JobOptions.fromPartial({ ...EVERYTHING, retentionHours: 0 }));
const failed = (run: number): JobInput => ({ type: 'ingest_failed', run, error: FAILURE });
const settled = (status: common.JobStatus, sequence: number) => ({ jobId: 'job_1', accountId: 'acc_1', status, sequence });

const once = play(briefly, [{ type: 'started', run: 1 }, failed(1)]).job;
const toCompletion: JobInput[] = [
  { type: 'started', run: 1 },
  mediaReady(),
  transcribed(),
  ...ADD_ONS.map((stage): JobInput => ({ type: 'stage_finished', run: 1, stage, status: stage === 'summary' ? 'failed' : 'completed', warnings: [] })),
];

describe('a job that is not to be kept', () => {
  it('is here only for the webhook of its end', () => {
    expect(isKeptForItsWebhook(once, settled(JOB_STATUS_FAILED, once.sequence))).toBe(true);
    expect(isKeptForItsWebhook({ ...once, options: { ...once.options, retentionHours: 1 } }, settled(JOB_STATUS_FAILED, once.sequence))).toBe(false);
  });

  it('stays while it runs again, and when that ends another time, until that end is settled', () => {
    const again = play(once, [{ type: 'retry' }]).job;
    expect(isKeptForItsWebhook(again, settled(JOB_STATUS_FAILED, once.sequence))).toBe(false);
    const twice = play(again, [{ type: 'started', run: 2 }, failed(2)]).job;
    expect(isKeptForItsWebhook(twice, settled(JOB_STATUS_FAILED, once.sequence))).toBe(false);
    expect(isKeptForItsWebhook(twice, settled(JOB_STATUS_FAILED, twice.sequence))).toBe(true);
  });

  it('has completed once and for all, though a stage that was tried again announces more', () => {
    const completed = play(briefly, toCompletion).job;
    const later = play(completed, [{ type: 'retry' }, { type: 'stage_finished', run: 2, stage: 'summary', status: 'failed', error: FAILURE, warnings: [] }]).job;
    expect(later.sequence).toBeGreaterThan(completed.sequence);
    expect(isKeptForItsWebhook(later, settled(JOB_STATUS_COMPLETED, completed.sequence))).toBe(true);
    expect(isKeptForItsWebhook(later, settled(JOB_STATUS_FAILED, completed.sequence))).toBe(false);
  });
});
