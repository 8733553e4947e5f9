import { describe, expect, it } from '@jest/globals';
import type { JobChanges, JobInput } from './job-input.js';
import { after, mediaReady, play, queuedJob, TRANSCRIPT_ONLY, transcribed } from './job.fixture.js';

const update = (changes: JobChanges, ifMatch: string[] = []): JobInput => ({ type: 'update', ifMatch, changes });
const searched = (run = 1): JobInput => ({ type: 'stage_finished', run, stage: 'search', status: 'completed', warnings: [] });
const COMPLETION: JobInput[] = [{ type: 'started', run: 1 }, mediaReady(), transcribed(), searched()];
const completed = () => play(queuedJob(TRANSCRIPT_ONLY), COMPLETION).job;

describe('a change of a job', () => {
  it('sets and removes fields, counts as a revision and is announced; the same again changes nothing', () => {
    const titled = play(queuedJob(), [update({ title: 'Planning', callbackUrl: 'https://example.org/hook' })]);
    expect(titled).toMatchObject({ job: { title: 'Planning', callbackUrl: 'https://example.org/hook', revision: 2 }, types: ['job.progressed'] });
    expect(play(titled.job, [update({ title: 'Planning' })])).toEqual({ job: titled.job, types: [] });
    expect(play(titled.job, [update({ title: null })]).job).not.toHaveProperty('title');
  });

  it('is refused where the job has another revision than its caller read', () => {
    expect(() => play(queuedJob(), [update({ title: 'x' }, ['7'])])).toThrow(expect.objectContaining({ code: 'precondition_failed' }));
    expect(play(queuedJob(), [update({ title: 'x' }, ['7', '1'])]).job.title).toBe('x');
  });

  it('moves the ends of a job and of its media, which count from the end of its work', () => {
    const job = completed();
    const hours = (count: number) => after(count * 3600, job.completedAt);
    const kept = play(job, [update({ retentionHours: 48, mediaRetentionHours: 1 })]).job;
    expect([kept.expiresAt, kept.mediaExpiresAt]).toEqual([hours(48), hours(1)]);
    const free = play(kept, [update({ retentionHours: null, mediaRetentionHours: null })]).job;
    expect([free.expiresAt, free.mediaExpiresAt]).toEqual([undefined, undefined]);
    expect(play(queuedJob(), [update({ retentionHours: 1 })]).job).not.toHaveProperty('expiresAt');
  });

  it('gives media that were removed no further time', () => {
    const gone = play(completed(), [update({ mediaRetentionHours: 0 }), { type: 'media_expired' }, { type: 'media_erased' }]).job;
    expect(play(gone, [update({ mediaRetentionHours: 10 })]).job).not.toHaveProperty('mediaExpiresAt');
  });

  it('of metadata has search index the job again, once, when it is completed', () => {
    const { job, types } = play(completed(), [update({ metadata: { team: 'red' } })]);
    expect(job).toMatchObject({ status: 'completed', run: 2, metadata: { team: 'red' }, options: { metadata: { team: 'red' } }, stages: { search: { status: 'pending' } } });
    expect(types).toEqual(['job.progressed', 'stage.requested']);
    expect(play(job, [searched(2)]).job).toMatchObject({ open: false, run: 2 });
  });

  it('of metadata before search began needs no further index; while it runs it does', () => {
    const [started, media, text] = COMPLETION as [JobInput, JobInput, JobInput];
    const red = update({ metadata: { team: 'red' } });
    expect(play(queuedJob(TRANSCRIPT_ONLY), [red, ...COMPLETION]).job).toMatchObject({ status: 'completed', open: false, run: 1 });
    const searching: JobInput = { type: 'stage_started', run: 1, stage: 'search', at: after(1) };
    expect(play(queuedJob(TRANSCRIPT_ONLY), [started, media, text, searching, red, searched()]).job).toMatchObject({ status: 'completed', open: true, run: 2 });
  });
});
