import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { common } from '@parlance/contracts';
import { saysNothing } from '@parlance/testing';
import { ACCOUNT, IngestHarness } from './ingest-harness.js';

const { JOB_STATUS_PROCESSING, JOB_STATUS_QUEUED } = common.JobStatus;
const STALLED = ['job_stalls1', 'job_stalls2', 'job_stalls3'];

let harness: IngestHarness;
afterEach(() => harness[Symbol.asyncDispose]());

const createFor = (accountId: string, jobId: string, path: string) =>
  harness.createRaw({ jobId, accountId, source: { $case: 'audioUrl', value: harness.mediaServer.url(path) } });

describe('an account whose media servers say nothing', () => {
  beforeEach(async () => {
    harness = await IngestHarness.start({ FETCH_CONCURRENCY: '2', SHUTDOWN_GRACE_SECONDS: '2' });
    harness.mediaServer.at('/stalls', saysNothing);
    for (const jobId of STALLED) await createFor(ACCOUNT, jobId, '/stalls');
    for (const jobId of STALLED.slice(0, 2)) await harness.untilHeard('job.started', jobId);
  });

  it('gets every place while it is alone', async () => {
    expect((await harness.get('job_stalls1')).status).toBe(JOB_STATUS_PROCESSING);
    expect((await harness.get('job_stalls2')).status).toBe(JOB_STATUS_PROCESSING);
  });

  it('keeps no other account from fetching and decoding', async () => {
    await createFor('acc_2', 'job_other', '/short.flac');
    expect(await harness.untilHeard('media.ready', 'job_other')).toHaveLength(1);
    expect((await harness.get('job_stalls1')).status).toBe(JOB_STATUS_PROCESSING);
  });

  it('has jobs that wait for their turn as queued, and take it when one is given up', async () => {
    expect((await harness.get('job_stalls3')).status).toBe(JOB_STATUS_QUEUED);
    await harness.cancel('job_stalls1');
    expect(await harness.untilHeard('job.started', 'job_stalls3')).toHaveLength(1);
  });
});
