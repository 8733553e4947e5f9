import { describe, expect, it } from '@jest/globals';
import { after, mediaReady, NOON, play, queuedJob, transcribed } from '../jobs/job.fixture.js';
import { overdue } from './overdue.js';

const MINUTE = 60_000;
const deadlines = { stageMs: 60 * MINUTE, stallMs: 24 * 60 * MINUTE };
const minutesAfter = (time: string, minutes: number) => Date.parse(after(minutes * 60, time));
const awakeSince = Date.parse(NOON);

describe('what is overdue', () => {
  const waiting = play(queuedJob(), [{ type: 'started', run: 1 }, mediaReady(), transcribed(), { type: 'stage_finished', run: 1, stage: 'diarization', status: 'completed', warnings: [] }]).job;

  it('are the add-on stages that reported nothing in time, so that the job completes', () => {
    const inputs = overdue(waiting, { now: minutesAfter(waiting.updatedAt, 61), awakeSince }, deadlines);
    expect(inputs.map((input) => 'stage' in input && input.stage)).toEqual(['summary', 'highlights', 'search']);
    expect(play(waiting, inputs).job).toMatchObject({ status: 'completed', stages: { search: { status: 'failed', error: { code: 'stage_timeout' } } } });
  });

  it('is nothing before the time is up', () => {
    expect(overdue(waiting, { now: minutesAfter(waiting.updatedAt, 59), awakeSince }, deadlines)).toEqual([]);
  });

  it('counts from the start of a stage, and from a retry', () => {
    const begun = play(waiting, [{ type: 'stage_started', run: 1, stage: 'search', at: waiting.updatedAt }]).job;
    const late = { ...begun, stages: { ...begun.stages, search: { ...begun.stages.search, startedAt: after(30 * 60, begun.updatedAt) } } };
    const inputs = overdue(late, { now: minutesAfter(begun.updatedAt, 61), awakeSince }, deadlines);
    expect(inputs.map((input) => 'stage' in input && input.stage)).toEqual(['summary', 'highlights']);
  });

  it('is a silent diarization first, and what waits for it only once it has had time of its own', () => {
    const silent = play(queuedJob(), [{ type: 'started', run: 1 }, mediaReady(), transcribed()]).job;
    const inputs = overdue(silent, { now: minutesAfter(silent.updatedAt, 61), awakeSince }, deadlines);
    expect(inputs.map((input) => 'stage' in input && input.stage)).toEqual(['diarization', 'search']);
    const { job, types } = play(silent, inputs);
    expect(types).toEqual(['job.stage_failed', 'stage.finished', 'job.stage_failed', 'stage.finished']);
    expect(job).toMatchObject({ status: 'processing', stages: { diarization: { status: 'failed' }, summary: { status: 'pending' } } });
    expect(overdue(job, { now: minutesAfter(job.updatedAt, 59), awakeSince }, deadlines)).toEqual([]);
    expect(overdue(job, { now: minutesAfter(job.updatedAt, 61), awakeSince }, deadlines).map((input) => 'stage' in input && input.stage)).toEqual(['summary', 'highlights']);
  });

  it('is nothing while the machine was off or asleep', () => {
    const now = minutesAfter(waiting.updatedAt, 600);
    expect(overdue(waiting, { now, awakeSince: now - 59 * MINUTE }, deadlines)).toEqual([]);
  });

  it('is a job without any progress for a day, but not one in the queue', () => {
    const transcribing = play(queuedJob(), [{ type: 'started', run: 1 }, mediaReady()]).job;
    const now = minutesAfter(transcribing.updatedAt, 24 * 60 + 1);
    const inputs = overdue(transcribing, { now, awakeSince }, deadlines);
    expect(play(transcribing, inputs).job).toMatchObject({ status: 'failed', error: { code: 'internal', retryable: true } });
    expect(overdue(queuedJob(), { now, awakeSince }, deadlines)).toEqual([]);
  });
});
