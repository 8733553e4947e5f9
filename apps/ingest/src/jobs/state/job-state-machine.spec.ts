import { describe, expect, it } from '@jest/globals';
import { common } from '@parlance/contracts';
import { after, chunkDone, EVERYTHING, FAILURE, mediaReady, NOON, play, queuedJob, splitMedia, TRANSCRIPT_ONLY, transcribed } from './job.fixture.js';
import type { JobInput } from './job-input.js';
import { advance } from './job-state-machine.js';
import { ADD_ONS, STAGES, type AddOn, type Job } from './job.js';

const started: JobInput = { type: 'started', run: 1 };
const finished = (stage: AddOn, status: 'completed' | 'failed' | 'skipped' = 'completed', run = 1): JobInput => ({
  type: 'stage_finished',
  run,
  stage,
  status,
  ...(status !== 'completed' && { error: FAILURE }),
  warnings: [],
});
const statuses = (job: Job) => Object.fromEntries(STAGES.map((name) => [name, job.stages[name].status]));
const refused = (job: Job, input: JobInput) => {
  try {
    advance(job, input, NOON);
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('a job on its way', () => {
  it('goes from queued to completed when every stage has reported', () => {
    const { job, types } = play(queuedJob(), [started, mediaReady(), ...[0, 1, 2, 3].map((index) => chunkDone(index)), transcribed(), ...ADD_ONS.map((stage) => finished(stage))]);
    expect(job).toMatchObject({ status: 'completed', open: false, progress: { percent: 100 }, billedSeconds: 120, language: { transcript: 'en' } });
    expect(types.filter((type) => type !== 'job.progressed')).toEqual(['job.started', 'media.ready', 'job.transcript_ready', 'job.completed', 'usage.recorded']);
    expect(job.sequence).toBe(3);
  });

  it('announces each end of a summary that was requested later once, and stays completed', () => {
    const { job } = play(queuedJob(), [started, mediaReady(), transcribed(), ...ADD_ONS.map((stage) => finished(stage))]);
    const failed: JobInput = { type: 'summary_finished', summaryId: 'sum_1', error: FAILURE };
    const transition = advance(job, failed, NOON);
    expect(transition?.events).toMatchObject([{ type: 'job.summary_failed', data: { summaryId: 'sum_1', error: FAILURE, sequence: job.sequence + 1, version: job.revision + 1 } }]);
    const after = play(job, [failed, failed, { type: 'summary_finished', summaryId: 'sum_1' }, { type: 'summary_finished', summaryId: 'sum_1' }]);
    expect(after.types).toEqual(['job.summary_failed', 'job.summary_completed']);
    expect(after.job).toMatchObject({ status: 'completed', open: false, endedSummaries: [{ summaryId: 'sum_1', revision: job.revision + 2 }] });
  });

  it('names the stage it is in, the one it failed in, and none once everything is done', () => {
    const { job } = play(queuedJob(), [started, mediaReady(), transcribed(), ...ADD_ONS.map((stage) => finished(stage, stage === 'search' ? 'failed' : 'completed'))]);
    expect(job.progress).toEqual({ percent: 100 });
    expect(play(job, [{ type: 'retry' }]).job.progress).toEqual({ percent: 100, stage: 'search' });
    expect(play(queuedJob(), [started, mediaReady(), { type: 'chunk_failed', run: 1, index: 0, error: FAILURE }]).job.progress.stage).toBe('transcription');
  });

  it('skips at once what was not asked for, and needs only the search index after the transcript', () => {
    const job = queuedJob(TRANSCRIPT_ONLY);
    expect(statuses(job)).toMatchObject({ diarization: 'skipped', summary: 'skipped', highlights: 'skipped', search: 'pending' });
    expect(play(job, [started, mediaReady(), transcribed(), finished('search')]).job.status).toBe('completed');
  });

  it('skips diarization once the channels of its recording are split, and says no names in events', () => {
    const channels = { mode: common.ChannelMode.CHANNEL_MODE_AUTO, names: ['Ada'] };
    const begun = play(queuedJob({ ...EVERYTHING, channels }), [started]).job;
    const { job, events } = advance(begun, splitMedia(), NOON) ?? { job: begun, events: [] };
    expect(statuses(job)).toMatchObject({ transcription: 'running', diarization: 'skipped', summary: 'pending' });
    expect(job.options.channels).toEqual(channels);
    expect(events.find(({ type }) => type === 'media.ready')?.data).toMatchObject({ media: { splitChannels: 2 }, options: { channels: { ...channels, names: [] } } });
    expect(JSON.stringify(events)).not.toContain('Ada');
    const retried = play(job, [{ type: 'chunk_failed', run: 1, index: 0, error: FAILURE }, { type: 'retry' }, { ...started, run: 2 }]).job;
    expect(statuses(retried)).toMatchObject({ diarization: 'pending' });
    expect(statuses(play(retried, [splitMedia(2)]).job)).toMatchObject({ diarization: 'skipped' });
  });

  it('completes when add-ons reported before the transcript was there', () => {
    const { job } = play(queuedJob(), [started, mediaReady(), ...ADD_ONS.map((stage) => finished(stage)), transcribed()]);
    expect(job.status).toBe('completed');
  });

  it('keeps the full address until the media is fetched, and nothing secret of it afterwards', () => {
    const begun = play(queuedJob(), [started]).job;
    expect(begun.source).toMatchObject({ url: 'https://user:secret@media.example/talk.mp3?token=secret' });
    expect(play(begun, [{ type: 'source_fetched', run: 1 }]).job.source).toEqual({ kind: 'url', url: 'https://media.example/talk.mp3', fetched: true });
  });

  it('counts the time of transcription from its first chunk, not from when the chunks began to wait for an engine', () => {
    const handedOut = play(queuedJob(), [started, mediaReady()]).job;
    const at = after(100, handedOut.updatedAt);
    const begun = advance(handedOut, { type: 'stage_started', run: 1, stage: 'transcription', at }, after(101, handedOut.updatedAt));
    expect(begun?.job.stages.transcription).toMatchObject({ status: 'running', startedAt: at, attempts: 1 });
    const job = begun && advance(begun.job, chunkDone(0), after(10, at))?.job;
    expect(job?.progress.etaSeconds).toBe(30);
  });

  it('takes no start of transcription from the future, nor twice, nor from before its media was ready', () => {
    const handedOut = play(queuedJob(), [started, mediaReady()]).job;
    const hear = (job: Job, at: string, now: string) => advance(job, { type: 'stage_started', run: 1, stage: 'transcription', at }, now)?.job;
    const now = after(5, handedOut.updatedAt);
    const ahead = hear(handedOut, after(60, now), now);
    expect(ahead?.stages.transcription.startedAt).toBe(now);
    expect(ahead && hear(ahead, after(60, now), after(20, now))).toBeUndefined();
    expect(hear(handedOut, NOON, now)).toBeUndefined();
  });

  it('is brought in to the whole at most, which is news once', () => {
    const overshot: JobInput = { type: 'ingest_progressed', run: 1, part: 1.2 };
    const { job } = play(queuedJob(), [started, overshot]);
    expect(job.ingestPart).toBe(1);
    expect(play(job, [overshot]).job).toEqual(job);
  });

  it('tells how far it is by the weights of its stages, and how long transcription still takes', () => {
    const percents = [started, mediaReady(), chunkDone(0), chunkDone(1), transcribed(), finished('diarization')].reduce<{ job: Job; seen: number[] }>(
      ({ job, seen }, input) => {
        const next = play(job, [input]).job;
        return { job: next, seen: [...seen, next.progress.percent] };
      },
      { job: queuedJob(), seen: [] },
    );
    expect(percents.seen).toEqual([0, 10, 30, 50, 90, 92.5]);
    const planned = play(queuedJob(), [started, mediaReady()]).job;
    const one = advance(planned, chunkDone(0), after(10, planned.updatedAt))?.job;
    expect(one?.progress).toEqual({ percent: 30, stage: 'transcription', etaSeconds: 30 });
  });
});

describe('a failing add-on', () => {
  it('never loses the transcript: the job completes with a failed stage and a warning', () => {
    const { job, types } = play(queuedJob(), [started, mediaReady(), transcribed(), finished('summary', 'failed'), ...ADD_ONS.map((stage) => finished(stage))]);
    expect(job.status).toBe('completed');
    expect(job.stages.summary).toMatchObject({ status: 'failed', error: FAILURE });
    expect(job.warnings).toEqual([{ code: 'summary_failed', message: 'The stage summary failed: The engine gave up.' }]);
    expect(types.filter((type) => type === 'job.stage_failed')).toHaveLength(1);
  });

  it('is skipped with a warning when it says why', () => {
    const { job } = play(queuedJob(), [started, finished('diarization', 'skipped')]);
    expect(job.stages.diarization.status).toBe('skipped');
    expect(job.warnings).toEqual([{ code: 'engine_failed', message: 'The stage diarization was skipped: The engine gave up.' }]);
  });

  it('can be tried again while the job stays completed', () => {
    const completed = play(queuedJob(), [started, mediaReady(), transcribed(), finished('summary', 'failed'), ...ADD_ONS.map((stage) => finished(stage))]).job;
    const { job: retried, types } = play(completed, [{ type: 'retry' }]);
    expect(retried).toMatchObject({ status: 'completed', run: 2, open: true, warnings: [], progress: { percent: 100, stage: 'summary' } });
    expect(types).toEqual(['job.progressed', 'stage.requested']);
    expect(play(retried, [finished('summary', 'failed', 1)]).job).toEqual(retried);
    const failedAgain = play({ ...retried, stages: { ...retried.stages, search: { status: 'pending', attempts: 1 } } }, [finished('summary', 'failed', 2)]).job;
    expect(refused(failedAgain, { type: 'retry' })).toMatchObject({ code: 'invalid_state' });
    const { job: mended, types: mending } = play(retried, [finished('summary', 'completed', 2)]);
    expect(mended).toMatchObject({ status: 'completed', open: false, sequence: completed.sequence + 1 });
    expect(mended.stages.summary).toMatchObject({ status: 'completed', attempts: 2 });
    expect(mended.stages.summary.error).toBeUndefined();
    expect(mending).toEqual(['job.add_on_completed']);
  });
});

describe('a job that fails', () => {
  it('ends when its media cannot be brought in', () => {
    const { job, types } = play(queuedJob(), [started, { type: 'ingest_failed', run: 1, error: { ...FAILURE, code: 'media_unreachable' } }]);
    expect(job).toMatchObject({ status: 'failed', error: { code: 'media_unreachable' }, open: false });
    expect(statuses(job)).toEqual({ ingest: 'failed', transcription: 'canceled', diarization: 'canceled', summary: 'canceled', highlights: 'canceled', chapters: 'skipped', entities: 'skipped', audio_redaction: 'skipped', search: 'canceled', sealing: 'skipped' });
    expect(types.at(-1)).toBe('job.failed');
  });

  it('says what it is billed and how far it was, in which stage, and no end of stages that never began', () => {
    const failed = play(queuedJob(), [started, { type: 'ingest_progressed', run: 1, part: 0.5 }, { type: 'ingest_failed', run: 1, error: FAILURE }]).job;
    expect(failed).toMatchObject({ status: 'failed', billedSeconds: 0, stages: { ingest: { completedAt: expect.any(String) } } });
    expect([failed.progress, failed.stages.transcription]).toEqual([{ percent: 5, stage: 'ingest' }, { status: 'canceled', attempts: 0 }]);
    const retried = play(failed, [{ type: 'retry' }]).job;
    expect([retried.progress, retried.billedSeconds]).toEqual([{ percent: 0, stage: 'ingest' }, undefined]);
  });

  it('ends when its media could not even be asked for, but not through the report of an earlier run', () => {
    const failed: JobInput = { type: 'ingest_failed', run: 1, error: FAILURE };
    const { job, types } = play(queuedJob(), [failed]);
    expect(job).toMatchObject({ status: 'failed', error: FAILURE, open: false, stages: { ingest: { status: 'failed' } } });
    expect(types).toEqual(['job.failed']);
    expect(play(job, [{ type: 'retry' }, failed]).job).toMatchObject({ status: 'queued', run: 2 });
  });

  it('ends when a chunk has failed for good, unless that chunk is done after all', () => {
    const { job } = play(queuedJob(), [started, mediaReady(), { type: 'chunk_failed', run: 1, index: 2, error: FAILURE }]);
    expect(job).toMatchObject({ status: 'failed', error: FAILURE, stages: { transcription: { status: 'failed', error: FAILURE } } });
    const done = play(queuedJob(), [started, mediaReady(), chunkDone(2), { type: 'chunk_failed', run: 1, index: 2, error: FAILURE }]).job;
    expect(done.status).toBe('processing');
  });

  it('is not retried when another try would fail alike, unless that is forced', () => {
    const error = { code: 'media_unsupported', message: 'Not audio.', retryable: false };
    const failed = play(queuedJob(), [started, { type: 'ingest_failed', run: 1, error }]).job;
    expect(refused(failed, { type: 'retry' })).toMatchObject({ code: 'invalid_state', reason: 'failure_is_final' });
    expect(play(failed, [{ type: 'retry', force: true }]).job).toMatchObject({ status: 'queued', run: 2 });
  });

  it('goes back to the queue by a retry and redoes only what is missing', () => {
    const failed = play(queuedJob(), [started, mediaReady(), chunkDone(0), chunkDone(2), { type: 'chunk_failed', run: 1, index: 1, error: FAILURE }]).job;
    const { job: again, types } = play(failed, [{ type: 'retry' }]);
    expect(again).toMatchObject({ status: 'queued', run: 2, chunks: { count: 2, total: 4 } });
    expect(again.error).toBeUndefined();
    expect(types).toEqual(['job.progressed']);
    expect(play(again, [{ type: 'started', run: 1 }, chunkDone(1, 1)]).job).toEqual(again);
    const second = play(again, [{ type: 'started', run: 2 }, mediaReady(2), chunkDone(1, 2)]).job;
    expect(second.chunks).toMatchObject({ count: 3, countAtStart: 2 });
    expect(second.stages.transcription.attempts).toBe(2);
  });

  it('counts no chunk of an earlier run when its media was cut anew', () => {
    const failed = play(queuedJob(), [started, mediaReady(), chunkDone(0), { type: 'chunk_failed', run: 1, index: 1, error: FAILURE }]).job;
    const { job } = play(failed, [{ type: 'retry' }, { type: 'started', run: 2 }, { ...mediaReady(2), samePlan: false } as JobInput]);
    expect(job.chunks).toMatchObject({ total: 4, count: 0, countAtStart: 0 });
  });

  it('hears nothing more in that run', () => {
    const failed = play(queuedJob(), [started, { type: 'ingest_failed', run: 1, error: FAILURE }]).job;
    expect(play(failed, [started, mediaReady(), chunkDone(0), transcribed(), finished('search')]).job).toEqual(failed);
  });
});

describe('a canceled job', () => {
  it('bills what was decoded', () => {
    const { job, types } = play(queuedJob(), [started, mediaReady(), chunkDone(3), { type: 'cancel' }]);
    expect(job).toMatchObject({ status: 'canceled', billedSeconds: 120, open: false });
    expect(types.slice(-2)).toEqual(['job.canceled', 'usage.recorded']);
  });

  it('of which nothing is decoded bills nothing', () => {
    const { job, types } = play(queuedJob(), [started, { type: 'ingest_progressed', run: 1, part: 0.3 }, { type: 'cancel' }]);
    expect(job).toMatchObject({ billedSeconds: 0 });
    expect(types).not.toContain('usage.recorded');
  });

  it('stays as it is when it is canceled again, and is not retried', () => {
    const { job } = play(queuedJob(), [{ type: 'cancel' }]);
    expect(advance(job, { type: 'cancel' }, NOON)).toBeUndefined();
    expect(refused(job, { type: 'retry' })).toMatchObject({ kind: 'conflict', code: 'invalid_state', reason: 'nothing_to_retry' });
  });

  it('expires by its retention', () => {
    const job = queuedJob(common.JobOptions.fromPartial({ ...EVERYTHING, retentionHours: 2 }));
    const { completedAt, expiresAt } = play(job, [{ type: 'cancel' }]).job;
    expect(expiresAt).toBe(after(7200, completedAt));
  });
});
