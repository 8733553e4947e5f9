import { describe, expect, it } from '@jest/globals';
import type { JobChanges, JobInput } from './job-input.js';
import { after, FAILURE, mediaReady, play, queuedJob, splitMedia, TRANSCRIPT_ONLY, transcribed } from './job.fixture.js';

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

  it('of the contents of webhooks needs a callback_url, and they go with it', () => {
    const include = update({ callbackInclude: ['transcript'] });
    expect(() => play(queuedJob(), [update({ callbackUrl: null }), include])).toThrow(expect.objectContaining({ code: 'invalid_request', fields: [expect.objectContaining({ pointer: '/callback_include' })] }));
    const included = play(queuedJob(), [update({ callbackUrl: 'https://example.org/hook', callbackInclude: ['summary'] }), include]).job;
    expect(included.callbackInclude).toEqual(['transcript']);
    for (const changes of [{ callbackUrl: null }, { callbackInclude: [] }]) expect(play(included, [update(changes)]).job).not.toHaveProperty('callbackInclude');
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

  it('run again, as they are ordered now, where the transcript was edited since they were ordered', () => {
    const done = play(completed(), [order({ summary: BRIEF }), summarized('completed')]).job;
    const edited = play(done, [{ type: 'transcript_edited', revision: 1 }]).job;
    const minutes = order({ summary: { ...BRIEF, format: 'minutes' } });
    for (const { job, types } of [play(edited, [minutes]), play(done, [order({ summary: { ...BRIEF, format: 'minutes' }, transcriptRevision: 1 })])]) {
      expect(types).toEqual(['job.progressed', 'stage.requested']);
      expect(job).toMatchObject({ run: 3, open: true, options: { summary: { format: 'minutes' } }, stages: { summary: { status: 'pending' } } });
      expect(play(job, [summarized('completed', 3), { type: 'transcript_edited', revision: 1 }, minutes]).job).toMatchObject({ run: 3, open: false });
    }
  });

  it('can be ordered again where they failed, and are refused while a stage runs, or without a transcript', () => {
    const failed = play(completed(), [order({ summary: BRIEF }), summarized('failed')]).job;
    const again = play(failed, [order({ summary: BRIEF })]).job;
    expect(again).toMatchObject({ run: 3, warnings: [], stages: { summary: { status: 'pending' } } });
    expect(() => play(again, [order({ highlights: true })])).toThrow(expect.objectContaining({ code: 'invalid_state', reason: 'still_running', retryable: true }));
    expect(() => play(queuedJob(), [order({ highlights: true })])).toThrow(expect.objectContaining({ reason: 'still_running' }));
    expect(() => play(queuedJob(), [{ type: 'cancel' }, order({ highlights: true })])).toThrow(expect.objectContaining({ reason: 'no_transcript' }));
  });
});

describe('speakers that are ordered after the end of a job', () => {
  const diarization = { enabled: true, minSpeakers: 2, maxSpeakers: undefined };
  const order: JobInput = { type: 'order_add_ons', diarization };
  const audioReady = (run = 2): JobInput => ({ type: 'audio_ready', run });
  const ended = (status: 'completed' | 'failed', run = 2): JobInput => ({ type: 'stage_finished', run, stage: 'diarization', status, warnings: [] });

  it('are detected once the audio is decoded again, in a further run', () => {
    const ordered = play(completed(), [order]);
    expect(ordered.types).toEqual(['job.progressed', 'ingest.requested']);
    expect(ordered.job).toMatchObject({ status: 'completed', open: true, run: 2, options: { diarization }, stages: { diarization: { status: 'pending' } } });
    const ready = play(ordered.job, [audioReady()]);
    expect(ready.types).toEqual(['stage.requested']);
    expect(play(ready.job, [audioReady()]).types).toEqual([]);
    const done = play(ready.job, [ended('completed')]);
    expect([done.types, done.job.open, done.job.billedSeconds]).toEqual([['job.add_on_completed'], false, 120]);
    expect(play(done.job, [order]).types).toEqual([]);
  });

  it('fail alone when the media cannot be decoded, and a retry decodes it again', () => {
    const failed = play(completed(), [order, { type: 'ingest_failed', run: 2, error: FAILURE }]);
    expect(failed.types.slice(2)).toEqual(['job.stage_failed', 'stage.finished']);
    expect(failed.job).toMatchObject({ status: 'completed', stages: { diarization: { status: 'failed', error: FAILURE } } });
    const again = play(failed.job, [{ type: 'retry' }]);
    expect(again.types).toEqual(['job.progressed', 'ingest.requested']);
    expect(play(again.job, [audioReady(3)]).types).toEqual(['stage.requested']);
  });

  it('have their audio looked for again with each order and retry, since it may be lost, also where the stage failed with it', () => {
    const failed = play(completed(), [order, audioReady(), ended('failed')]).job;
    for (const again of [order, { type: 'retry' } as const]) {
      const { job, types } = play(failed, [again]);
      expect([types, job.awaitsAudio]).toEqual([['job.progressed', 'ingest.requested'], true]);
      expect(play(job, [audioReady(3)]).types).toEqual(['stage.requested']);
    }
  });

  it('begin again with what was ordered beside them when their audio was removed meanwhile, and not when it was removed for their end', () => {
    const removed = (inRun: number): JobInput => ({ type: 'audio_removed', inRun });
    const ready = play(completed(), [{ ...order, highlights: true }, audioReady()]).job;
    const again = play(ready, [removed(1)]);
    expect(again.types.toSorted()).toEqual(['ingest.requested', 'stage.requested']);
    expect(again.job).toMatchObject({ run: 3, awaitsAudio: true, stages: { diarization: { status: 'pending' }, highlights: { status: 'pending' } } });
    expect(play(ready, [removed(2)]).types).toEqual([]);
    expect(play(play(ready, [ended('completed')]).job, [removed(1)]).job.run).toBe(2);
  });

  it('are refused without media, and where each channel is a speaker', () => {
    const gone = play(completed(), [{ type: 'update', ifMatch: [], changes: { mediaRetentionHours: 0 } }, { type: 'media_expired' }]).job;
    expect(() => play(gone, [order])).toThrow(expect.objectContaining({ code: 'media_removed' }));
    const [started, , text, search] = COMPLETION as [JobInput, JobInput, JobInput, JobInput];
    const split = play(queuedJob(TRANSCRIPT_ONLY), [started, splitMedia(), text, search]).job;
    expect(() => play(split, [order])).toThrow(expect.objectContaining({ code: 'invalid_state', reason: 'channels_are_speakers' }));
  });
});

describe('warnings about the media', () => {
  const MIXED = { code: 'channels_mixed', message: 'The two channels differ.' };
  const decoded = (run: number, samePlan: boolean): JobInput => ({ ...(mediaReady(run) as Extract<JobInput, { type: 'media_ready' }>), samePlan, warnings: samePlan ? [] : [MIXED] });

  it('hold in a retry that decodes nothing again, and are said once in one that does', () => {
    const failed = play(queuedJob(TRANSCRIPT_ONLY), [{ type: 'started', run: 1 }, decoded(1, false), { type: 'chunk_failed', run: 1, index: 0, error: FAILURE }, { type: 'retry' }]).job;
    for (const samePlan of [true, false]) expect(play(failed, [{ type: 'started', run: 2 }, decoded(2, samePlan)]).job.warnings).toEqual([MIXED]);
  });
});
