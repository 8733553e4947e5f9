import { describe, expect, it } from '@jest/globals';
import { common } from '@parlance/contracts';
import { unreported } from '../upkeep/overdue.js';
import { deleteJob } from './delete-job.js';
import type { JobInput } from './job-input.js';
import { advance } from './job-state-machine.js';
import { jobCollection, type Job } from './job.js';
import { after, FAILURE, mediaReady, play, queuedJob, transcribed } from './job.fixture.js';
import { requestAgain } from './requests-again.js';

const STARTED: JobInput = { type: 'started', run: 1 };
const TRANSCRIBED = [STARTED, mediaReady(), transcribed()];
const SUMMARIZED: JobInput = { type: 'stage_finished', run: 1, stage: 'summary', status: 'failed', error: FAILURE, warnings: [] };
const SEALED: JobInput = { type: 'result_sealed', run: 1 };
const ERASED: JobInput = { type: 'content_erased', run: 1 };
const FOUR_MINUTES = 240_000;

const job = (options: Partial<common.JobOptions> = {}) =>
  queuedJob(common.JobOptions.fromPartial({ diarization: { enabled: false }, summary: { enabled: true }, highlights: false, resultKey: '{}', ...options }));

const ready = () => play(job(), [...TRANSCRIBED, SUMMARIZED]);

describe('the sealing of results', () => {
  it('is requested once every other stage has ended, also where one has failed, and is no part of other jobs', () => {
    expect(play(job(), TRANSCRIBED).types).not.toContain('ingest.requested');
    const { job: sealing, types } = ready();
    expect(types.filter((type) => type === 'ingest.requested')).toHaveLength(1);
    expect(sealing).toMatchObject({ status: 'processing', isSealed: true, progress: { stage: 'sealing' }, stages: { sealing: { status: 'pending' }, search: { status: 'skipped' } } });
    expect(queuedJob().stages.sealing.status).toBe('skipped');
  });

  it('completes the job only when its content is erased, whatever is received twice', () => {
    const sealed = play(ready().job, [SEALED, SEALED]);
    expect(sealed.types.filter((type) => type === 'job.content_erased')).toHaveLength(1);
    expect([sealed.job.status, sealed.types.includes('job.completed')]).toEqual(['processing', false]);
    const erased = play(sealed.job, [ERASED]);
    expect(erased.job).toMatchObject({ status: 'completed', open: false, stages: { sealing: { status: 'completed' } }, warnings: [{ code: 'summary_failed' }] });
    expect([erased.job.mediaRemovedAt !== undefined, erased.job.mediaExpiresAt]).toEqual([true, undefined]);
    expect(erased.types).toContain('job.completed');
    expect(advance(erased.job, ERASED, after(500))).toBeUndefined();
  });

  it('does not begin before the stages have ended, and does not end by an erasure without a result', () => {
    const early = play(job(), TRANSCRIBED).job;
    expect(advance(early, SEALED, after(100))).toBeUndefined();
    expect(play(ready().job, [ERASED]).job.status).toBe('processing');
  });

  it('fails the job for good, without a bill, when there is nothing to seal any more, but not once the result is stored', () => {
    const lost: JobInput = { type: 'sealing_failed', run: 1, error: { code: 'content_erased', message: 'The content is gone.', retryable: false } };
    const failed = play(ready().job, [lost]);
    expect(failed.job).toMatchObject({ status: 'failed', open: false, billedSeconds: 0, error: { code: 'content_erased' }, stages: { sealing: { status: 'failed', error: { code: 'content_erased' } } } });
    expect(failed.types).toEqual(expect.arrayContaining(['job.failed', 'job.content_erased']));
    expect(failed.types).not.toContain('usage.recorded');
    expect(() => advance(failed.job, { type: 'retry', force: true }, after(500))).toThrow(expect.objectContaining({ code: 'sealed' }));
    expect(advance(play(ready().job, [SEALED]).job, lost, after(500))).toBeUndefined();
    expect(advance(play(job(), TRANSCRIBED).job, lost, after(500))).toBeUndefined();
  });

  it('is asked for again when nothing is heard of it: first the result, then the erasure', () => {
    const late = (of: Job) => Date.parse(of.updatedAt) + FOUR_MINUTES;
    const waiting = ready().job;
    expect(unreported(waiting, late(waiting), FOUR_MINUTES)).toEqual(['sealing']);
    expect(requestAgain(waiting, 'sealing').map(({ type }) => type)).toEqual(['ingest.requested']);
    const sealed = play(waiting, [SEALED]).job;
    expect(unreported(sealed, late(sealed), FOUR_MINUTES)).toEqual(['sealing']);
    expect(requestAgain(sealed, 'sealing').map(({ type }) => type)).toEqual(['job.content_erased']);
  });

  it.each<[string, JobInput]>([
    ['fails', { type: 'ingest_failed', run: 1, error: FAILURE }],
    ['is canceled', { type: 'cancel' }],
  ])('leaves nothing for a retry when the job %s', (_how, input) => {
    const ended = play(job(), [STARTED, input]);
    expect(ended.types).toContain('job.content_erased');
    const erased = play(ended.job, [ERASED]).job;
    expect([erased.mediaExpiresAt, erased.mediaRemovedAt !== undefined]).toEqual([undefined, true]);
    expect(() => advance(erased, { type: 'retry', force: true }, after(500))).toThrow(expect.objectContaining({ code: 'sealed' }));
  });

  it('refuses add-ons afterwards, and does not index changed metadata', () => {
    const { job: sealed } = play(ready().job, [SEALED, ERASED]);
    expect(() => advance(sealed, { type: 'order_add_ons', chapters: true }, after(500))).toThrow(expect.objectContaining({ code: 'sealed' }));
    const changed = play(sealed, [{ type: 'update', ifMatch: [], changes: { metadata: { team: 'red' } } }]);
    expect([changed.job.metadata, changed.job.open, changed.types.includes('stage.requested')]).toEqual([{ team: 'red' }, false, false]);
  });

  it('keeps the record below a key of its own, which its deletion names', () => {
    const sealed = job();
    expect(jobCollection.sealed?.owner(sealed)).toEqual({ accountId: 'acc_1', holder: 'job_1-record' });
    expect(jobCollection.sealed?.owner(queuedJob())).toEqual({ accountId: 'acc_1', holder: 'job_1' });
    const { events } = deleteJob(play(ready().job, [SEALED, ERASED]).job, after(600));
    expect(events).toEqual([expect.objectContaining({ type: 'job.deleted', data: expect.objectContaining({ sealed: true }) })]);
  });
});
