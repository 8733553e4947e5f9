import { describe, it } from '@jest/globals';
import { common, type EventData, type NewEvent } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import * as fc from 'fast-check';
import { deepStrictEqual as equal, ok } from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { after, FAILURE, MEDIA, NOON } from './job.fixture.js';
import type { JobInput } from './job-input.js';
import type { JobSource } from './job-source.js';
import { advance } from './job-state-machine.js';
import { isLiveOpen, isOpenStage, isTerminal, STAGES, type Job } from './job.js';
import { SPEECH } from './live.fixture.js';
import { createJob } from './new-job.js';

const CHUNKS = 3;
const run = fc.integer({ min: 1, max: 3 });
const stage = fc.constantFrom(...STAGES);
const index = fc.nat(CHUNKS);

const report: fc.Arbitrary<JobInput> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('started' as const), run }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('source_fetched' as const), run }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('ingest_progressed' as const), run, part: fc.double({ min: 0, max: 2, noNaN: true }) }) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(run, fc.constantFrom(CHUNKS, 2 * CHUNKS), fc.boolean())
      .map(([run, chunksTotal, samePlan]) => ({ type: 'media_ready' as const, run, media: MEDIA, planKey: 'p', audioPrefix: 'a/', chunksTotal, samePlan, warnings: [] })),
  },
  { weight: 1, arbitrary: run.map((run) => ({ type: 'ingest_failed' as const, run, error: FAILURE })) },
  { weight: 6, arbitrary: fc.tuple(run, index).map(([run, index]) => ({ type: 'chunk_done' as const, run, index, total: CHUNKS, warnings: [] })) },
  { weight: 1, arbitrary: fc.tuple(run, index).map(([run, index]) => ({ type: 'chunk_failed' as const, run, index, error: FAILURE })) },
  { weight: 3, arbitrary: run.map((run) => ({ type: 'transcript_completed' as const, run, language: 'en', engine: 'e', warnings: [] })) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('stage_started' as const), run, stage, at: fc.nat(20).map((seconds) => after(seconds)), isWaiting: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(run, stage, fc.constantFrom('completed' as const, 'failed' as const, 'skipped' as const))
      .map(([run, stage, status]) => ({ type: 'stage_finished' as const, run, stage, status, error: FAILURE, warnings: [] })),
  },
  { weight: 1, arbitrary: run.map((run) => ({ type: 'sealing_failed' as const, run, error: FAILURE })) },
  { weight: 1, arbitrary: run.map((run) => ({ type: 'stalled' as const, run, error: FAILURE })) },
  { weight: 1, arbitrary: fc.constant<JobInput>({ type: 'cancel' }) },
  { weight: 2, arbitrary: fc.constant<JobInput>({ type: 'retry' }) },
);

/** The way most jobs go, so that long ways are walked too; the noise is put in between. */
const wayOf = (run: number): JobInput[] => [
  { type: 'started', run },
  { type: 'media_ready', run, media: MEDIA, planKey: 'p', audioPrefix: 'a/', chunksTotal: CHUNKS, warnings: [] },
  ...[0, 1, 2].map((index): JobInput => ({ type: 'chunk_done', run, index, total: CHUNKS, warnings: [] })),
  { type: 'transcript_completed', run, language: 'en', engine: 'e', warnings: [] },
  ...STAGES.map((stage): JobInput => ({ type: 'stage_finished', run, stage, status: 'completed', warnings: [] })),
];

const finished = fc.nat(1).map((pieces): JobInput => ({ type: 'live_finished', pieces, gaps: [], finalsKey: '' }));

const inputs = fc
  .tuple(fc.array(fc.tuple(fc.nat(20), fc.oneof({ weight: 6, arbitrary: report }, { weight: 1, arbitrary: finished })), { maxLength: 25 }), fc.boolean())
  .map(([noise, walk]) => noise.reduce((all, [at, input]) => all.toSpliced(at, 0, input), walk ? [...wayOf(1), ...wayOf(2)] : []));

const options = fc
  .tuple(fc.boolean(), fc.boolean(), fc.boolean())
  .map(([diarization, summary, highlights]) => common.JobOptions.fromPartial({ diarization: { enabled: diarization }, summary: { enabled: summary }, highlights }));

interface Created {
  options: common.JobOptions;
  source: JobSource;
}

const url: JobSource = { kind: 'url', url: 'https://media.example/a.mp3', fetched: false };
const live: JobSource = { kind: 'live', audio: SPEECH, finalPass: common.LiveFinalPass.LIVE_FINAL_PASS_NONE, storeAudio: true };
const created = fc.record({ options, source: fc.constantFrom(url, live) });

const TERMINAL = new Set(['job.completed', 'job.failed', 'job.canceled']);

/** Every state and event of a job that receives the inputs in this order, a second apart. `steps` has the state after each input. */
function history({ options, source }: Created, inputs: readonly JobInput[]): { states: Job[]; events: { run: number; event: NewEvent }[]; steps: { input: JobInput; job: Job; hasEffect: boolean }[] } {
  const created = createJob({ jobId: 'job_1', accountId: 'acc_1', source, options }, NOON);
  const states = [created.job];
  const events = created.events.map((event) => ({ run: 1, event }));
  const steps = inputs.map((input, second) => {
    const job = states.at(-1) as Job;
    const transition = attempt(() => advance(job, input, after(second)));
    if (!transition) return { input, job, hasEffect: false };
    states.push(transition.job);
    events.push(...transition.events.map((event) => ({ run: transition.job.run, event })));
    return { input, job: transition.job, hasEffect: true };
  });
  return { states, events, steps };
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    ok(error instanceof AppError && error.code === 'invalid_state');
    return undefined;
  }
}

const always = (holds: (history: { states: Job[]; events: { run: number; event: NewEvent }[] }) => void) =>
  fc.assert(
    fc.property(created, inputs, (created, inputs) => holds(history(created, inputs))),
    { numRuns: 1000 },
  );

describe('whatever a job hears, in whatever order and however often', () => {
  it('it ends at most once a run', () =>
    always(({ events }) => {
      const ends = events.filter(({ event }) => TERMINAL.has(event.type)).map(({ run }) => run);
      equal(ends, [...new Set(ends)]);
    }));

  it('only a retry leaves a terminal state', () =>
    always(({ states }) => {
      states.forEach((job, at) => {
        const before = states[at - 1];
        if (before && isTerminal(before.status)) ok(job.status === before.status || job.run === before.run + 1);
      });
    }));

  it('its announced events are numbered from 1 without a gap, over all runs', () =>
    always(({ events }) => {
      const numbers = events
        .filter(({ event }) => event.type.startsWith('job.'))
        .map(({ event }) => (event.data as EventData<'job.started'>).sequence)
        .filter((sequence) => sequence > 0);
      equal(numbers, numbers.map((_, at) => at + 1));
    }));

  it('its percent never goes back within a run, and is 100 when and only when it is completed', () =>
    always(({ states }) => {
      states.forEach((job, at) => {
        const before = states[at - 1];
        if (before?.run === job.run) ok(job.progress.percent >= before.progress.percent);
        equal(job.progress.percent === 100, job.status === 'completed');
      });
    }));

  it('its revision rises by one with each change, but not when a running stage only reports that it still waits', () =>
    always(({ states }) => {
      // Clones, because Jest's objects and those that a clone makes have different prototypes.
      const visible = (job: Job) => structuredClone({ ...job, revision: 0, updatedAt: '', stages: STAGES.map((name) => ({ ...job.stages[name], waitedUntil: '' })) });
      states.forEach((job, at) => {
        const before = states[at - 1];
        if (before) equal(job.revision, before.revision + (isDeepStrictEqual(visible(job), visible(before)) ? 0 : 1));
      });
    }));

  it('it is completed only with a transcript, and no ended run has an open stage', () =>
    always(({ states }) => {
      for (const job of states) {
        if (job.status === 'completed') equal(job.stages.transcription.status, 'completed');
        if (job.status === 'failed' || job.status === 'canceled') ok(!STAGES.some((name) => isOpenStage(job.stages[name])));
        if (job.status === 'processing') ok(STAGES.some((name) => isOpenStage(job.stages[name])));
      }
    }));

  it('an open live session is changed by its end and a cancel alone', () =>
    always(({ states }) => {
      states.forEach((job, at) => {
        const before = states[at - 1];
        if (!before || !isLiveOpen(before)) return;
        const isFinished = job.source.kind === 'live' && job.source.finishedAt !== undefined;
        ok(job.status === 'canceled' || isFinished);
      });
    }));

  it('a report that had its effect has none when it is delivered again, at once or after others', () =>
    fc.assert(
      fc.property(created, inputs, (created, inputs) => {
        const { steps } = history(created, inputs);
        const effective = steps.flatMap(({ input, hasEffect }, at) => (hasEffect && isReport(input) ? [{ input, at }] : []));
        for (const { input, at } of effective) {
          steps.slice(at).forEach(({ job }, later) => {
            const again = advance(job, input, after(at + later + 1));
            // Only the time of a wait may be a later one: that of a sender whose clock is ahead.
            if (input.type === 'stage_started' && input.isWaiting) equal(again?.job.revision ?? job.revision, job.revision);
            else equal(again, undefined);
          });
        }
      }),
      { numRuns: 1000 },
    ));
});

const isReport = ({ type }: JobInput): boolean => type !== 'cancel' && type !== 'retry';
