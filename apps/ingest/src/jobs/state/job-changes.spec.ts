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

  it('to a callback_url of another origin removes the headers that were sealed for the one before, unless it brings others', () => {
    const headed = play(queuedJob(), [update({ callbackUrl: 'https://example.org/hook', sealedCallbackHeaders: 'v1.a' })]).job;
    expect(headed.sealedCallbackHeaders).toBe('v1.a');
    expect(play(headed, [update({ callbackUrl: 'https://example.org/other' })]).job.sealedCallbackHeaders).toBe('v1.a');
    for (const callbackUrl of ['https://example.com/hook', null]) expect(play(headed, [update({ callbackUrl })]).job).not.toHaveProperty('sealedCallbackHeaders');
    expect(play(headed, [update({ callbackUrl: 'https://example.com/hook', sealedCallbackHeaders: 'v1.b' })]).job.sealedCallbackHeaders).toBe('v1.b');
    expect(play(headed, [update({ sealedCallbackHeaders: null })]).job).not.toHaveProperty('sealedCallbackHeaders');
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

describe('add-ons that are ordered after the end of a job', () => {
  const order = (asked: Partial<Extract<JobInput, { type: 'order_add_ons' }>>): JobInput => ({ type: 'order_add_ons', ...asked });
  const summarized = (status: 'completed' | 'failed', run = 2): JobInput => ({ type: 'stage_finished', run, stage: 'summary', status, warnings: [] });
  const BRIEF = { enabled: true, format: 'brief', template: undefined, language: undefined };

  it('run as a further run of the completed job, and their end is announced', () => {
    const ordered = play(completed(), [order({ summary: BRIEF, highlights: true })]);
    expect(ordered.types).toEqual(['job.progressed', 'stage.requested', 'stage.requested']);
    expect(ordered.job).toMatchObject({ status: 'completed', open: true, run: 2, options: { summary: BRIEF, highlights: true }, stages: { summary: { status: 'pending' }, highlights: { status: 'pending' }, diarization: { status: 'skipped' } } });
    const ended = play(ordered.job, [summarized('completed'), { type: 'stage_finished', run: 2, stage: 'highlights', status: 'failed', warnings: [] }]);
    expect(ended.types).toEqual(['job.add_on_completed', 'job.stage_failed']);
    expect(ended.job).toMatchObject({ status: 'completed', open: false, billedSeconds: 120 });
  });

  it('stay as they are where they completed', () => {
    const done = play(completed(), [order({ summary: BRIEF }), summarized('completed')]).job;
    expect(play(done, [order({ summary: { ...BRIEF, format: 'minutes' } })])).toEqual({ job: done, types: [] });
  });

  it('can be ordered again where they failed, and are refused while a stage runs, or without a transcript', () => {
    const failed = play(completed(), [order({ summary: BRIEF }), summarized('failed')]).job;
    const again = play(failed, [order({ summary: BRIEF })]).job;
    expect(again).toMatchObject({ run: 3, warnings: [], stages: { summary: { status: 'pending' } } });
    expect(() => play(again, [order({ highlights: true })])).toThrow(expect.objectContaining({ code: 'invalid_state', reason: 'still_running' }));
    expect(() => play(queuedJob(), [order({ highlights: true })])).toThrow(expect.objectContaining({ reason: 'still_running' }));
    expect(() => play(queuedJob(), [{ type: 'cancel' }, order({ highlights: true })])).toThrow(expect.objectContaining({ reason: 'no_transcript' }));
  });
});
