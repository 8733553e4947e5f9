import { describe, expect, it } from '@jest/globals';
import type { EventData, NewEvent } from '@parlance/contracts';
import * as fc from 'fast-check';
import { deleteJob } from './delete-job.js';
import { after, chunkDone, FAILURE, MEDIA, mediaReady, NOON, queuedJob, splitMedia, TRANSCRIPT_ONLY, transcribed } from './job.fixture.js';
import type { JobInput } from './job-input.js';
import { advance } from './job-state-machine.js';
import { isTerminal, type Job } from './job.js';

const CHUNKS = 4;
const WHOLE_MS = MEDIA.duration * 1000;

/** Hears everything, in this order; what is not possible is refused. */
function history(inputs: readonly JobInput[], keyId?: string): { job: Job; events: NewEvent[]; states: Job[] } {
  let job: Job = { ...queuedJob(TRANSCRIPT_ONLY), ...(keyId !== undefined && { keyId }) };
  const events: NewEvent[] = [];
  const states = [job];
  inputs.forEach((input, step) => {
    try {
      const transition = advance(job, input, after(step));
      if (!transition) return;
      job = transition.job;
      events.push(...transition.events);
      states.push(job);
    } catch {
      // A cancel or retry at the wrong time.
    }
  });
  return { job, events, states };
}

const usage = (events: readonly NewEvent[]) => events.filter(({ type }) => type === 'usage.recorded').map(({ data }) => data as EventData<'usage.recorded'>);
const started = (run = 1): JobInput => ({ type: 'started', run });
const searched = (run = 1): JobInput => ({ type: 'stage_finished', run, stage: 'search', status: 'completed', warnings: [] });
const chunk = (index: number, run = 1, ownSeconds?: number): JobInput => ({ ...chunkDone(index, run), ...(ownSeconds !== undefined && { ownSeconds }) }) as JobInput;

describe('what a job is billed for', () => {
  it('is its whole media when it completes, once, in the name of its key', () => {
    const { events, job } = history([started(), mediaReady(), chunk(0), transcribed(), searched(), searched(), transcribed()], 'key_1');
    expect(usage(events)).toEqual([
      { usageId: 'use_1_1', accountId: 'acc_1', jobId: 'job_1', run: 1, keyId: 'key_1', operation: 'transcription', milliseconds: WHOLE_MS, day: NOON.slice(0, 10), occurredAt: new Date(after(4)) },
    ]);
    expect(job).toMatchObject({ billedSeconds: 120, bills: [{ run: 1, milliseconds: WHOLE_MS, billedAt: after(4) }] });
  });

  it('is its length for each channel that is transcribed apart, in full or as far as it came', () => {
    const split = [started(), splitMedia()];
    expect(history([...split, chunk(0), transcribed(), searched()]).job.billedSeconds).toBe(240);
    expect(history([...split, chunk(0, 1, 29.871), { type: 'cancel' }]).job.billedSeconds).toBe(240);
    const { decodedMilliseconds: _unknown, ...job } = history([...split, chunk(0, 1, 29.871), chunk(1)]).job;
    expect(advance(job, { type: 'cancel' }, NOON)?.job.billedSeconds).toBe(29.871 + 60);
  });

  it('is, of one that is canceled while it is decoded, what was decoded by then', () => {
    const decoded = (decodedSeconds: number): JobInput => ({ type: 'ingest_progressed', run: 1, part: 0.1, decodedSeconds });
    const { events, job } = history([started(), decoded(43.2001), decoded(40), { type: 'cancel' }]);
    expect(usage(events).map(({ milliseconds }) => milliseconds)).toEqual([43_200]);
    expect(job.billedSeconds).toBe(43.2);
  });

  it('is, of one that is canceled later, its whole media, since all of it was decoded', () => {
    const { events, job } = history([started(), mediaReady(), chunk(0, 1, 29.871), { type: 'cancel' }]);
    expect(usage(events).map(({ milliseconds }) => milliseconds)).toEqual([WHOLE_MS]);
    expect(job.billedSeconds).toBe(120);
  });

  it('is, of one whose audio an earlier version decoded, what its chunks stand for', () => {
    const { decodedMilliseconds: _unknown, ...job } = history([started(), mediaReady(), chunk(0, 1, 29.871), chunk(2, 1, 30.009)]).job;
    expect(advance(job, { type: 'cancel' }, after(9))?.job.billedSeconds).toBe(59.88);
  });

  it('is nothing while it fails, and every second once when a retry completes it', () => {
    const failed = [started(), mediaReady(), chunk(0), chunk(1), { type: 'chunk_failed', run: 1, index: 2, error: FAILURE } as JobInput];
    expect(usage(history(failed).events)).toEqual([]);
    const retried = history([...failed, { type: 'retry' }, started(2), mediaReady(2), chunk(2, 2), transcribed(2), searched(2)]);
    expect(usage(retried.events)).toMatchObject([{ usageId: 'use_1_2', run: 2, milliseconds: WHOLE_MS }]);
  });

  const decoded = (decodedSeconds: number, run = 1): JobInput => ({ type: 'ingest_progressed', run, part: 0.1, decodedSeconds });
  const failed = (code: string, run = 1): JobInput => ({ type: 'ingest_failed', run, error: { code, message: '', retryable: false } });
  const ended = (events: readonly NewEvent[]) => events.filter(({ type }) => type === 'job.failed' || type === 'job.canceled').map(({ data }) => (data as EventData<'job.failed'>).billed);

  it('is what was decoded, when its media turns out to be broken only after a minute of it', () => {
    const { events, job } = history([started(), decoded(11_350.2), failed('media_implausible')]);
    expect(usage(events)).toMatchObject([{ usageId: 'use_1_1', milliseconds: 11_350_200 }]);
    expect([job.billedSeconds, ended(events)]).toEqual([11_350.2, [true]]);
  });

  it.each([
    [60, 'media_corrupt'],
    [0, 'media_unsupported'],
    [3000, 'internal'],
    [3000, 'quota_exhausted'],
    [3000, 'storage_full'],
  ])('is nothing when it fails after %d s by %s', (seconds, code) => {
    const { events, job } = history([started(), decoded(seconds), failed(code)]);
    expect([usage(events), job.billedSeconds, ended(events)]).toEqual([[], 0, [false]]);
  });

  it('is, of a retry of broken media, only what is more, and what the retry holds is free again at its end', () => {
    const first = [started(), decoded(100), failed('media_timeout'), { type: 'retry' } as JobInput];
    const canceled = history([...first, started(2), decoded(90, 2), { type: 'cancel' }]);
    expect([usage(canceled.events).map(({ milliseconds }) => milliseconds), canceled.job.billedSeconds, ended(canceled.events)]).toEqual([[100_000], 100, [true, false]]);
    const completed = history([...first, started(2), mediaReady(2), chunk(0, 2), transcribed(2), searched(2)]);
    expect([usage(completed.events).map(({ milliseconds }) => milliseconds), completed.job.billedSeconds]).toEqual([[100_000, 20_000], 120]);
  });

  it('is nothing when a retry is canceled while queued: what the failed run decoded is not billed', () => {
    const failed = [started(), mediaReady(), { type: 'chunk_failed', run: 1, index: 0, error: FAILURE } as JobInput, { type: 'retry' } as JobInput];
    expect(usage(history([...failed, { type: 'cancel' }]).events)).toEqual([]);
    expect(usage(history([...failed, started(2), mediaReady(2), { type: 'cancel' }]).events)).toMatchObject([{ run: 2, milliseconds: WHOLE_MS }]);
  });

  it('stays provable when the job is deleted, and a deletion under way bills as a cancel does', () => {
    const { document, events } = deleteJob(history([started(), mediaReady(), chunk(0)]).job, after(10));
    expect(document.bills).toEqual([{ run: 1, milliseconds: WHOLE_MS, billedAt: after(10) }]);
    expect(usage(events)).toMatchObject([{ milliseconds: WHOLE_MS }]);
    expect(JSON.stringify(document)).not.toContain('blue');
  });

  it('is, whatever is heard in whatever order and however often, at most once a run, never more than its media, and what the job says', () => {
    const run = fc.integer({ min: 1, max: 3 });
    const input = fc.oneof(
      run.map(started),
      run.map((run) => mediaReady(run)),
      fc.tuple(fc.nat(CHUNKS), run).map(([index, run]) => chunk(index, run)),
      run.map((run) => transcribed(run)),
      run.map(searched),
      run.map((run): JobInput => ({ type: 'chunk_failed', run, index: CHUNKS - 1, error: FAILURE })),
      run.map((run) => decoded(100, run)),
      run.map((run) => failed('media_timeout', run)),
      fc.constantFrom<JobInput>({ type: 'cancel' }, { type: 'retry' }),
    );
    fc.assert(
      fc.property(fc.array(input, { maxLength: 40 }), (inputs) => {
        const { events, job, states } = history([started(), mediaReady(), ...inputs]);
        const entries = usage(events);
        expect(new Set(entries.map(({ usageId }) => usageId)).size).toBe(entries.length);
        const total = entries.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
        expect(total).toBe(Math.round((job.billedSeconds ?? 0) * 1000));
        expect(total).toBeLessThanOrEqual(WHOLE_MS);
        if (job.status === 'completed') expect(total).toBe(WHOLE_MS);
        if (!states.some(({ status, error }) => isTerminal(status) && error?.code !== FAILURE.code)) expect(total).toBe(0);
      }),
      { numRuns: 500 },
    );
  });
});
