import { describe, expect, it } from '@jest/globals';
import { ingest } from '@parlance/contracts';
import { notFound, withFreshness } from '@parlance/platform';
import { queuedJob } from '../../test/job-messages.js';
import { JobViews } from './job-views.js';

const JOB = queuedJob(ingest.CreateJobRequest.fromPartial({ jobId: 'job_1', accountId: 'acc_1', source: { $case: 'audioUrl', value: 'https://example.org/a.mp3' } }));
const REF = { accountId: 'acc_1', jobId: 'job_1' };

/** Views of one job, whose freshness the test decides. */
function viewsOf(freshness?: { isFresh: boolean }) {
  const views = new JobViews({
    get: async ({ accountId }) => {
      if (accountId !== JOB.accountId) throw notFound('The transcription');
      return withFreshness({ ...JOB }, freshness);
    },
  });
  return { views, read: () => views.read(REF, {}) };
}

describe('answers about a job', () => {
  it('are kept while the job is as it was', async () => {
    const freshness = { isFresh: true };
    const { views, read } = viewsOf(freshness);
    expect(views.recall(REF)).toBeUndefined();
    const view = await read();
    expect(JSON.parse(view.json)).toMatchObject({ job_id: 'job_1', status: 'queued' });
    expect(views.recall(REF)).toBe(view);
    freshness.isFresh = false;
    expect(views.recall(REF)).toBeUndefined();
    freshness.isFresh = true;
    expect(views.recall(REF)).toBeUndefined();
  });

  it('are not kept where others may change the job unheard, nor when it changed on the way', async () => {
    for (const freshness of [undefined, { isFresh: false }]) {
      const { views, read } = viewsOf(freshness);
      await read();
      expect(views.recall(REF)).toBeUndefined();
    }
  });

  it('are for the account alone whose job it is', async () => {
    const { views, read } = viewsOf({ isFresh: true });
    await read();
    const foreign = { ...REF, accountId: 'acc_2' };
    expect(views.recall(foreign)).toBeUndefined();
    await expect(views.read(foreign, {})).rejects.toMatchObject({ kind: 'not_found' });
    expect(views.recall(REF)).toBeDefined();
  });
});
