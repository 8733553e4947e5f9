import { describe, expect, it, test } from '@jest/globals';
import { common } from '@parlance/contracts';
import { FAILURE, mediaReady, NOON, play, TRANSCRIPT_ONLY, transcribed } from './job.fixture.js';
import type { JobInput } from './job-input.js';
import { finalsOf } from './job-source.js';
import { advance } from './job-state-machine.js';
import { isLiveOpen } from './job.js';
import { FINALS, liveFinished, liveJob, SPEECH } from './live.fixture.js';
import { createJob } from './new-job.js';

const failed: JobInput = { type: 'ingest_failed', run: 1, error: FAILURE };
const searched: JobInput = { type: 'stage_finished', run: 1, stage: 'search', status: 'completed', warnings: [] };
const hoursKept = ({ completedAt = '', mediaExpiresAt = '' }: { completedAt?: string; mediaExpiresAt?: string }) => (Date.parse(mediaExpiresAt) - Date.parse(completedAt)) / 3_600_000;

describe('the job of a live session', () => {
  it('is processing from the start, which is announced', () => {
    const source = liveJob().source;
    const { job, events } = createJob({ jobId: 'job_1', accountId: 'acc_1', source, options: TRANSCRIPT_ONLY }, NOON);
    expect(job).toMatchObject({ status: 'processing', kind: 'live', startedAt: NOON, stages: { ingest: { status: 'running' }, transcription: { status: 'pending' } } });
    expect(events.map(({ type }) => type)).toEqual(['job.created', 'job.started']);
    expect(isLiveOpen(job)).toBe(true);
  });

  test.each<[string, JobInput]>([
    ['a report of media', mediaReady()],
    ['a failure of ingest', failed],
    ['progress of ingest', { type: 'ingest_progressed', run: 1, part: 0.5, decodedSeconds: 3 }],
    ['a time-out', { type: 'stalled', run: 1, error: FAILURE }],
    ['an unclean stop', { type: 'resumed', run: 1 }],
  ])('is not changed by %s while its audio arrives', (_, input) => {
    expect(advance(liveJob(), input, NOON)).toBeUndefined();
  });

  it('goes on as that of an upload once its audio is complete', () => {
    const finished = advance(liveJob(), liveFinished(), NOON);
    expect(finished?.events.map(({ type }) => type)).toEqual(['job.progressed', 'ingest.requested']);
    expect(finished?.job).toMatchObject({ status: 'processing', source: { finishedAt: NOON, finalsKey: FINALS } });
    const { job, types } = play(liveJob({}, TRANSCRIPT_ONLY), [liveFinished(), mediaReady(), transcribed(), searched]);
    expect(job).toMatchObject({ status: 'completed', billedSeconds: 120 });
    expect(types).toEqual(expect.arrayContaining(['media.ready', 'job.completed', 'usage.recorded']));
  });

  it('is billed for the audio that its session took, once, when it is canceled while it is open or before its recording is decoded', () => {
    const taken: JobInput = { type: 'live_audio_taken', milliseconds: 4200 };
    for (const inputs of [[taken], [taken, { ...taken, milliseconds: 4000 }], [taken, liveFinished()]]) {
      const { job, types } = play(liveJob(), [...inputs, { type: 'cancel' }]);
      expect(job).toMatchObject({ status: 'canceled', billedSeconds: 4.2 });
      expect(types.filter((type) => type === 'usage.recorded')).toHaveLength(1);
    }
    const { job } = play(liveJob({}, TRANSCRIPT_ONLY), [taken, liveFinished(), mediaReady(), transcribed(), searched]);
    expect(job).toMatchObject({ status: 'completed', billedSeconds: 120 });
    expect(advance(play(liveJob(), [liveFinished()]).job, taken, NOON)).toBeUndefined();
  });

  it('requests its ingest again after an unclean stop', () => {
    const { job } = play(liveJob(), [liveFinished()]);
    expect(advance(job, { type: 'resumed', run: 1 }, NOON)?.events.map(({ type }) => type)).toEqual(['ingest.requested']);
  });

  it('is finished once: again changes nothing, whatever became of it', () => {
    for (const later of [[], [mediaReady()], [failed], [{ type: 'cancel' } as JobInput]]) {
      expect(advance(play(liveJob(), [liveFinished(), ...later]).job, liveFinished({ pieces: 9 }), NOON)).toBeUndefined();
    }
  });

  it('has failed for good when nothing was received', () => {
    const { job } = play(liveJob(), [liveFinished({ pieces: 0, finalsKey: '' })]);
    expect(job).toMatchObject({ status: 'failed', error: { code: 'media_empty', retryable: false }, billedSeconds: 0 });
    expect(() => play(job, [{ type: 'retry' }])).toThrow(expect.objectContaining({ reason: 'failure_is_final' }));
  });

  it('has a warning about what its client left out, which a retry and the decoded media keep', () => {
    const gaps = [{ start: 10, end: 15 }, { start: 20.25, end: 21 }];
    const { job } = play(liveJob(), [liveFinished({ gaps }), failed, { type: 'retry' }, { type: 'started', run: 2 }, { ...mediaReady(2), samePlan: false } as JobInput]);
    expect(job.warnings).toEqual([{ code: 'audio_gap', message: 'The client left out 5.8 seconds of audio, which are silence: 10 to 15, 20.3 to 21.' }]);
    const many = play(liveJob(), [liveFinished({ gaps: Array.from({ length: 12 }, (_, index) => ({ start: index, end: index + 0.5 })) })]).job;
    expect(many.warnings[0]?.message).toMatch(/9 to 9\.5 and 2 more\.$/);
  });

  it('has a warning when its recording is transcribed in place of finals that were sent', () => {
    const warningsOf = (changes: Parameters<typeof liveFinished>[0], source: Parameters<typeof liveJob>[0] = {}) => play(liveJob(source), [liveFinished(changes)]).job.warnings.map(({ code }) => code);
    expect(warningsOf({ finalsKey: '' })).toEqual(['live_retranscribed']);
    expect(warningsOf({})).toEqual([]);
    expect(warningsOf({ finalsKey: '', pieces: 0 })).toEqual([]);
    expect(warningsOf({ finalsKey: '' }, { finalPass: common.LiveFinalPass.LIVE_FINAL_PASS_SAME })).toEqual([]);
    const again = play(liveJob(), [liveFinished({ finalsKey: '' }), failed, { type: 'retry' }, { type: 'started', run: 2 }, { ...mediaReady(2), samePlan: false } as JobInput]).job;
    expect(again.warnings).toMatchObject([{ code: 'live_retranscribed' }]);
  });

  it('is canceled while it is open without a bill, and cannot be finished then', () => {
    const { job, types } = play(liveJob(), [{ type: 'cancel' }]);
    expect(job).toMatchObject({ status: 'canceled', billedSeconds: 0 });
    expect(isLiveOpen(job)).toBe(false);
    expect(types).not.toContain('usage.recorded');
    expect(() => play(job, [liveFinished()])).toThrow(expect.objectContaining({ code: 'invalid_state', reason: 'already_terminal' }));
  });

  it('is billed what was decoded when it is canceled afterwards', () => {
    const { job } = play(liveJob(), [liveFinished(), { type: 'ingest_progressed', run: 1, part: 0.5, decodedSeconds: 30 }, { type: 'cancel' }]);
    expect(job).toMatchObject({ status: 'canceled', billedSeconds: 30 });
  });

  it('is retried from the queue as that of an upload, with the same finals', () => {
    const { job } = play(liveJob(), [liveFinished(), failed, { type: 'retry' }]);
    expect(job).toMatchObject({ status: 'queued', run: 2, source: { finalsKey: FINALS } });
    expect(isLiveOpen(job)).toBe(false);
    expect(play(job, [{ type: 'started', run: 2 }, mediaReady(2)]).types).toContain('media.ready');
  });

  it('loses its recording at its end unless that is stored', () => {
    const ended = [liveFinished(), mediaReady(), transcribed(), searched];
    expect(play(liveJob({}, TRANSCRIPT_ONLY), ended).job).not.toHaveProperty('mediaExpiresAt');
    expect(hoursKept(play(liveJob({ storeAudio: false }, TRANSCRIPT_ONLY), ended).job)).toBe(0);
    expect(hoursKept(play(liveJob({ storeAudio: false }), [liveFinished(), failed]).job)).toBe(0);
    expect(hoursKept(play(liveJob(), [liveFinished(), failed]).job)).toBe(24);
  });
});

describe('the words of a live session', () => {
  const { LIVE_FINAL_PASS_NONE, LIVE_FINAL_PASS_SAME, LIVE_FINAL_PASS_UNSPECIFIED } = common.LiveFinalPass;

  it('are its finals unless the recording is transcribed again, or there are none', () => {
    const source = (finalPass: common.LiveFinalPass, finalsKey?: string) => finalsOf({ kind: 'live', audio: SPEECH, finalPass, storeAudio: true, ...(finalsKey !== undefined && { finalsKey }) });
    expect(source(LIVE_FINAL_PASS_NONE, FINALS)).toBe(FINALS);
    expect(source(LIVE_FINAL_PASS_UNSPECIFIED, FINALS)).toBe(FINALS);
    expect(source(LIVE_FINAL_PASS_SAME, FINALS)).toBeUndefined();
    expect(source(LIVE_FINAL_PASS_NONE)).toBeUndefined();
  });
});
