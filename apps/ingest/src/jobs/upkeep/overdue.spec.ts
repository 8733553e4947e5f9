import { describe, expect, it } from '@jest/globals';
import { after, FAILURE, mediaReady, NOON, play, queuedJob, transcribed } from '../state/job.fixture.js';
import type { JobInput } from '../state/job-input.js';
import { advance } from '../state/job-state-machine.js';
import { liveFinished, liveJob } from '../state/live.fixture.js';
import { overdue, unreported } from './overdue.js';

const MINUTE = 60_000;
const deadlines = { stageMs: 60 * MINUTE, stallMs: 24 * 60 * MINUTE };
const minutesAfter = (time: string, minutes: number) => Date.parse(after(minutes * 60, time));
const awakeSince = Date.parse(NOON);

const names = (inputs: JobInput[]) => inputs.map((input) => 'stage' in input && input.stage);

describe('what is overdue', () => {
  const waiting = play(queuedJob(), [{ type: 'started', run: 1 }, mediaReady(), transcribed(), { type: 'stage_finished', run: 1, stage: 'diarization', status: 'completed', warnings: [] }]).job;
  const addOns = ['summary', 'highlights', 'search'] as const;
  const running = play(waiting, addOns.map((stage) => ({ type: 'stage_started' as const, run: 1, stage, at: waiting.updatedAt }))).job;

  it('are the add-on stages that started and did not end in time, so that the job completes', () => {
    const inputs = overdue(running, { now: minutesAfter(running.updatedAt, 61), awakeSince }, deadlines);
    expect(names(inputs)).toEqual([...addOns]);
    expect(play(running, inputs).job).toMatchObject({ status: 'completed', stages: { search: { status: 'failed', error: { code: 'stage_timeout' } } } });
  });

  it('is nothing before the time is up', () => {
    expect(overdue(running, { now: minutesAfter(waiting.updatedAt, 59), awakeSince }, deadlines)).toEqual([]);
  });

  it('counts from the start of a stage, not from when it began to wait for a place', () => {
    expect(overdue(waiting, { now: minutesAfter(waiting.updatedAt, 23 * 60), awakeSince }, deadlines)).toEqual([]);
    const begun = play(waiting, [{ type: 'stage_started', run: 1, stage: 'search', at: waiting.updatedAt }]).job;
    const late = { ...begun, stages: { ...begun.stages, search: { ...begun.stages.search, startedAt: after(30 * 60, begun.updatedAt) } } };
    expect(overdue(late, { now: minutesAfter(begun.updatedAt, 89), awakeSince }, deadlines)).toEqual([]);
    expect(names(overdue(late, { now: minutesAfter(begun.updatedAt, 91), awakeSince }, deadlines))).toEqual(['search']);
  });

  it('counts work alone: not the time that a stage waits for another try, for instance while the search index is away', () => {
    let job = running;
    for (const [minutes, isWaiting] of [[4, true], [50, true], [54, false]] as const) {
      const at = after(minutes * 60, waiting.updatedAt);
      job = advance(job, { type: 'stage_started', run: 1, stage: 'search', at, isWaiting }, at)?.job ?? job;
    }
    expect(job.stages.search).toMatchObject({ status: 'running', attempts: 1, startedAt: running.stages.search.startedAt });
    const late = (minutes: number) => names(overdue(job, { now: minutesAfter(waiting.updatedAt, minutes), awakeSince }, deadlines));
    expect(late(61)).toEqual(['summary', 'highlights']);
    expect(late(109)).toEqual(['summary', 'highlights']);
    expect(late(111)).toEqual([...addOns]);
  });

  it('is a stage that did not start within the time of a stalled job', () => {
    const inputs = overdue(waiting, { now: minutesAfter(waiting.updatedAt, 24 * 60 + 1), awakeSince }, deadlines);
    expect(names(inputs)).toEqual([...addOns]);
    expect(play(waiting, inputs).job).toMatchObject({ status: 'completed', stages: { search: { error: { message: 'The stage did not start within 24 hours.' } } } });
  });

  it('is a silent diarization first, and what waits for it only once it has had time of its own', () => {
    const silent = play(queuedJob(), [{ type: 'started', run: 1 }, mediaReady(), { type: 'stage_started', run: 1, stage: 'diarization', at: NOON }, transcribed()]).job;
    const inputs = overdue(silent, { now: minutesAfter(silent.updatedAt, 24 * 60 + 1), awakeSince }, deadlines);
    expect(names(inputs)).toEqual(['diarization', 'search']);
    const { job, types } = play(silent, inputs);
    expect(types).toEqual(['job.stage_failed', 'stage.finished', 'job.stage_failed', 'stage.finished']);
    expect(job).toMatchObject({ status: 'processing', stages: { diarization: { status: 'failed' }, summary: { status: 'pending' } } });
    expect(overdue(job, { now: minutesAfter(job.updatedAt, 23 * 60), awakeSince }, deadlines)).toEqual([]);
    expect(names(overdue(job, { now: minutesAfter(job.updatedAt, 24 * 60 + 1), awakeSince }, deadlines))).toEqual(['summary', 'highlights']);
  });

  it('is nothing while the machine was off or asleep', () => {
    const now = minutesAfter(running.updatedAt, 600);
    expect(overdue(running, { now, awakeSince: now - 59 * MINUTE }, deadlines)).toEqual([]);
  });

  it('is a job without any progress for a day, but not one in the queue', () => {
    const transcribing = play(queuedJob(), [{ type: 'started', run: 1 }, mediaReady()]).job;
    const now = minutesAfter(transcribing.updatedAt, 24 * 60 + 1);
    const inputs = overdue(transcribing, { now, awakeSince }, deadlines);
    expect(play(transcribing, inputs).job).toMatchObject({ status: 'failed', error: { code: 'internal', retryable: true } });
    expect(overdue(queuedJob(), { now, awakeSince }, deadlines)).toEqual([]);
  });
});

describe('the requests that are published again', () => {
  const QUIET = 4 * MINUTE;
  const ready = play(queuedJob(), [{ type: 'started', run: 1 }, mediaReady()]).job;
  const done = play(ready, [transcribed()]).job;

  it('are the stages whose input is there, once nothing was reported of them for long', () => {
    expect(unreported(queuedJob(), minutesAfter(NOON, 60), QUIET)).toEqual([]);
    expect(unreported(ready, minutesAfter(ready.updatedAt, 3), QUIET)).toEqual([]);
    expect(unreported(ready, minutesAfter(ready.updatedAt, 4), QUIET)).toEqual(['transcription', 'diarization']);
    expect(unreported(done, minutesAfter(done.updatedAt, 4), QUIET)).toEqual(['diarization', 'search']);
    const diarized = play(done, [{ type: 'stage_finished', run: 1, stage: 'diarization', status: 'completed', warnings: [] }]).job;
    expect(unreported(diarized, minutesAfter(diarized.updatedAt, 4), QUIET)).toEqual(['summary', 'highlights', 'search']);
  });

  it('is nothing right after it was asked for, nor of an earlier run while the next one is ingested', () => {
    expect(unreported({ ...done, askedAt: after(60, done.updatedAt) }, minutesAfter(done.updatedAt, 4), QUIET)).toEqual([]);
    const failed = play(ready, [{ type: 'chunk_failed', run: 1, index: 0, error: FAILURE }]).job;
    const retried = play(failed, [{ type: 'retry' }]).job;
    expect(unreported(retried, minutesAfter(retried.updatedAt, 60), QUIET)).toEqual([]);
  });
});

describe('a live session', () => {
  it('is neither overdue nor asked for while it may be open or be ended', () => {
    const open = liveJob();
    const now = minutesAfter(open.createdAt, 60 * 50 - 1);
    expect(overdue(open, { now, awakeSince }, deadlines)).toEqual([]);
    expect(unreported(open, now, 4 * MINUTE)).toEqual([]);
  });

  it('has failed when it was not ended in the longest time that a session and its end take', () => {
    const open = liveJob();
    const now = minutesAfter(open.createdAt, 60 * 50 + 1);
    expect(overdue(open, { now, awakeSince: now }, deadlines)).toEqual([]);
    const { job } = play(open, overdue(open, { now, awakeSince }, deadlines));
    expect(job).toMatchObject({ status: 'failed', error: { code: 'internal', message: 'The live session of the job does not exist any more.' }, billedSeconds: 0 });
    expect(overdue(job, { now, awakeSince }, deadlines)).toEqual([]);
  });

  it('is decoded once its audio is complete: ingest is asked for again, and the job fails when nothing comes of it', () => {
    const { job } = play(liveJob(), [liveFinished()]);
    expect(unreported(job, minutesAfter(job.updatedAt, 3), 4 * MINUTE)).toEqual([]);
    expect(unreported(job, minutesAfter(job.updatedAt, 5), 4 * MINUTE)).toEqual(['ingest']);
    expect(overdue(job, { now: minutesAfter(job.updatedAt, 60 * 24 + 1), awakeSince }, deadlines)).toMatchObject([{ type: 'stalled' }]);
    expect(unreported(play(job, [mediaReady()]).job, minutesAfter(job.updatedAt, 5), 4 * MINUTE)).not.toContain('ingest');
  });
});
