import { describe, expect, it } from '@jest/globals';
import type { EventData, NewEvent } from '@parlance/contracts';
import * as fc from 'fast-check';
import { deleteJob } from './delete-job.js';
import { after, chunkDone, FAILURE, MEDIA, mediaReady, NOON, queuedJob, TRANSCRIPT_ONLY, transcribed } from './job.fixture.js';
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

  it('is, of a canceled one, what the chunks that are done stand for, to the millisecond', () => {
    const { events, job } = history([started(), mediaReady(), chunk(0, 1, 29.871), chunk(2, 1, 30.009), chunk(2, 1, 30.009), { type: 'cancel' }]);
    expect(usage(events).map(({ milliseconds }) => milliseconds)).toEqual([59_880]);
    expect(job.billedSeconds).toBe(59.88);
  });

  it('is nothing while it fails, and every second once when a retry completes it', () => {
    const failed = [started(), mediaReady(), chunk(0), chunk(1), { type: 'chunk_failed', run: 1, index: 2, error: FAILURE } as JobInput];
    expect(usage(history(failed).events)).toEqual([]);
    const retried = history([...failed, { type: 'retry' }, started(2), mediaReady(2), chunk(2, 2), transcribed(2), searched(2)]);
    expect(usage(retried.events)).toMatchObject([{ usageId: 'use_1_2', run: 2, milliseconds: WHOLE_MS }]);
  });

  it('stays provable when the job is deleted, and a deletion under way bills as a cancel does', () => {
    const { document, events } = deleteJob(history([started(), mediaReady(), chunk(0)]).job, after(10));
    expect(document.bills).toEqual([{ run: 1, milliseconds: 30_000, billedAt: after(10) }]);
    expect(usage(events)).toMatchObject([{ milliseconds: 30_000 }]);
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
        if (!states.some(({ status }) => isTerminal(status) && status !== 'failed')) expect(total).toBe(0);
      }),
      { numRuns: 500 },
    );
  });
});
