import { describe, expect, it } from '@jest/globals';
import { common, type EventData } from '@parlance/contracts';
import { announce } from './job-events.js';
import { NOON, queuedJob } from './job.fixture.js';

describe('the event that a job is deleted', () => {
  it('holds nothing that the caller gave', () => {
    const job = { ...queuedJob(), callbackUrl: 'https://example.org/hook', warnings: [{ code: 'vocabulary_unsupported', message: 'Zenobia' }] };
    const [event] = announce(job, [{ type: 'job.deleted', erasureId: 'era_1' }], NOON).events;
    const data = event?.data as EventData<'job.deleted'>;
    expect(data).toMatchObject({ jobId: job.id, accountId: job.accountId, erasureId: 'era_1', status: common.JobStatus.JOB_STATUS_QUEUED });
    expect([data.metadata, data.callbackUrl, data.warnings, data.error, data.progress]).toEqual([{}, undefined, [], undefined, undefined]);
    const [before] = announce(job, [{ type: 'job.canceled' }], NOON).events;
    expect(before?.data).toMatchObject({ metadata: { team: 'blue' }, callbackUrl: 'https://example.org/hook' });
  });
});
