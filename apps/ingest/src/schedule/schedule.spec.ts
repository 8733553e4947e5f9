import { describe, expect, it } from '@jest/globals';
import type { EventData, NewEvent } from '@parlance/contracts';
import * as fc from 'fast-check';
import { addChunk, EMPTY_CHUNKS, hasChunk } from '../jobs/chunk-set.js';
import { admit, emptySchedule, finishChunk, mend, plan, remove, type PlannedChunks, type Schedule, type ScheduleChange, type ScheduleLimits } from './schedule.js';

const NOON = '2026-01-01T12:00:00.000Z';
const limits: ScheduleLimits = { maxActive: 2, window: 4 };
const job = (jobId: string, run = 1) => ({ jobId, run });
const planned = (jobId: string, total: number, done = EMPTY_CHUNKS, run = 1): PlannedChunks => ({ jobId, run, total, done, planKey: 'plan' });

const chunksIn = (events: readonly NewEvent[]) =>
  events.filter((event) => event.type === 'chunk.requested').map(({ data }) => data as EventData<'chunk.requested'>);
const releasedBy = (change: ScheduleChange | undefined) => chunksIn(change?.events ?? []).map(({ jobId, index }) => `${jobId}/${index}`);

/** A schedule on its way: each step changes it and says what was released. */
function walk(limits: ScheduleLimits) {
  let schedule: Schedule = emptySchedule('acc_1', NOON);
  return {
    get schedule() {
      return schedule;
    },
    step(change: (schedule: Schedule, limits: ScheduleLimits) => ScheduleChange | undefined): string[] {
      const changed = change(schedule, limits);
      schedule = changed?.schedule ?? schedule;
      return releasedBy(changed);
    },
  };
}

describe("an account's schedule", () => {
  it('lets as many jobs begin as there is room for, each once', () => {
    const change = admit(emptySchedule('acc_1', NOON), [job('a'), job('b'), job('c')], limits);
    expect(change?.events.map(({ data }) => data)).toEqual([
      { jobId: 'a', accountId: 'acc_1', run: 1 },
      { jobId: 'b', accountId: 'acc_1', run: 1 },
    ]);
    expect(change && admit(change.schedule, [job('a'), job('b'), job('c')], limits)).toBeUndefined();
  });

  it('gives a job of many chunks and one of few the same share of the window', () => {
    const { step } = walk(limits);
    step((schedule) => admit(schedule, [job('long'), job('short')], limits));
    expect(step((schedule) => plan(schedule, planned('long', 100), limits))).toEqual(['long/0', 'long/1', 'long/2', 'long/3']);
    expect(step((schedule) => plan(schedule, planned('short', 2), limits))).toEqual([]);
    expect(step((schedule) => finishChunk(schedule, { ...job('long'), index: 1 }, limits))).toEqual(['short/0']);
    expect(step((schedule) => finishChunk(schedule, { ...job('long'), index: 0 }, limits))).toEqual(['short/1']);
    expect(step((schedule) => finishChunk(schedule, { ...job('long'), index: 2 }, limits))).toEqual(['long/4']);
  });

  it('serves equals in turn when the window is narrower than the jobs are many', () => {
    const narrow = { maxActive: 3, window: 1 };
    const { step } = walk(narrow);
    step((schedule) => admit(schedule, [job('a'), job('b'), job('c')], narrow));
    const served = ['a', 'b', 'c'].flatMap((id) => step((schedule) => plan(schedule, planned(id, 2), narrow)));
    for (let last = served.at(-1); last !== undefined && served.length < 6; last = served.at(-1)) {
      const [jobId = '', index] = last.split('/');
      served.push(...step((schedule) => finishChunk(schedule, { ...job(jobId), index: Number(index) }, narrow)));
    }
    expect(served.map((chunk) => chunk.charAt(0))).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('releases only the chunks that an earlier run left undone', () => {
    const { step } = walk(limits);
    const done = [0, 2, 3].reduce(addChunk, EMPTY_CHUNKS);
    step((schedule) => admit(schedule, [job('a', 2)], limits));
    expect(step((schedule) => plan(schedule, planned('a', 5, done, 2), limits))).toEqual(['a/1', 'a/4']);
  });

  it('frees the place of a job at once when an earlier run left no chunk undone', () => {
    const walked = walk(limits);
    const done = [0, 1, 2].reduce(addChunk, EMPTY_CHUNKS);
    walked.step((schedule) => admit(schedule, [job('a', 2)], limits));
    expect(walked.step((schedule) => plan(schedule, planned('a', 3, done, 2), limits))).toEqual([]);
    expect(walked.schedule.active).toEqual([]);
  });

  it('frees the place of a job once all its chunks are back, or when it has ended', () => {
    const walked = walk(limits);
    walked.step((schedule) => admit(schedule, [job('a'), job('b')], limits));
    walked.step((schedule) => plan(schedule, planned('a', 1), limits));
    walked.step((schedule) => finishChunk(schedule, { ...job('a'), index: 0 }, limits));
    expect(walked.schedule.active.map(({ jobId }) => jobId)).toEqual(['b']);
    walked.step((schedule) => remove(schedule, job('b'), limits));
    expect(walked.schedule.active).toEqual([]);
  });

  it('is not moved by reports of chunks that are not out, of other runs or of jobs that are gone', () => {
    const { schedule, step } = walk(limits);
    step((current) => admit(current, [job('a', 2)], limits));
    for (const late of [{ ...job('a', 1), index: 0 }, { ...job('a', 2), index: 0 }, { ...job('b'), index: 0 }]) {
      expect(finishChunk(schedule, late, limits)).toBeUndefined();
    }
    expect(remove(schedule, job('a', 1), limits)).toBeUndefined();
  });
});

describe('a schedule that events were lost of', () => {
  const at = (minutes: number) => ({ now: new Date(Date.parse(NOON) + minutes * 60_000), patienceMs: 30 * 60_000 });

  it('asks again for a job that has not started in time, once each time', () => {
    const walked = walk(limits);
    walked.step((schedule) => admit(schedule, [job('a')], limits));
    const look = (minutes: number, queued = [job('a')]) => {
      const change = mend(walked.schedule, queued, at(minutes));
      walked.step(() => change);
      return change?.events ?? [];
    };
    expect(look(0)).toEqual([]);
    expect(look(29)).toEqual([]);
    expect(look(30)).toEqual([{ type: 'ingest.requested', data: { jobId: 'a', accountId: 'acc_1', run: 1 } }]);
    expect(look(31)).toEqual([]);
    expect(look(90, [])).toEqual([]);
  });
});

describe('whatever happens to a schedule', () => {
  const ids = ['a', 'b', 'c', 'd'];
  const totals: Record<string, number> = { a: 1, b: 3, c: 8, d: 20 };
  const doneBefore: Record<string, string> = { a: EMPTY_CHUNKS, b: [1].reduce(addChunk, EMPTY_CHUNKS), c: EMPTY_CHUNKS, d: [0, 5, 19].reduce(addChunk, EMPTY_CHUNKS) };
  const id = fc.constantFrom(...ids);
  const step = fc.oneof(
    fc.record({ does: fc.constant('admit' as const), id }),
    fc.record({ does: fc.constant('plan' as const), id }),
    { weight: 4, arbitrary: fc.record({ does: fc.constant('finish' as const), id, index: fc.nat(20) }) },
  );
  const anyLimits = fc.record({ maxActive: fc.integer({ min: 1, max: 4 }), window: fc.integer({ min: 1, max: 6 }) });
  type Step = { does: 'admit'; id: string } | { does: 'plan'; id: string } | { does: 'finish'; id: string; index: number };

  const apply = (schedule: Schedule, step: Step, limits: ScheduleLimits) => {
    if (step.does === 'admit') return admit(schedule, [job(step.id)], limits);
    if (step.does === 'plan') return plan(schedule, planned(step.id, totals[step.id] ?? 0, doneBefore[step.id]), limits);
    return finishChunk(schedule, { ...job(step.id), index: step.index }, limits);
  };

  const outIn = ({ active }: Schedule) => active.reduce((sum, { chunks }) => sum + (chunks?.inFlight.length ?? 0), 0);

  it('the window and the number of active jobs are never passed', () => {
    fc.assert(
      fc.property(anyLimits, fc.array(step, { maxLength: 60 }), (limits, steps) => {
        const walked = walk(limits);
        for (const step of steps) {
          walked.step((schedule) => apply(schedule, step, limits));
          expect(outIn(walked.schedule)).toBeLessThanOrEqual(limits.window);
          expect(walked.schedule.active.length).toBeLessThanOrEqual(limits.maxActive);
        }
      }),
    );
  });

  it('every missing chunk of every job is released exactly once, in the end', () => {
    fc.assert(
      fc.property(anyLimits, fc.array(step, { maxLength: 60 }), fc.array(fc.nat(1000), { minLength: 60, maxLength: 60, size: 'max' }), (limits, steps, choices) => {
        const walked = walk(limits);
        const begun = new Set<string>();
        const released: string[] = [];
        const take = (step: Step) => {
          // A job that has begun and left is not queued any more, so it is not let in again.
          if (step.does === 'admit' && begun.has(step.id)) return;
          released.push(...walked.step((schedule) => apply(schedule, step, limits)));
          if (walked.schedule.active.some(({ jobId }) => jobId === step.id)) begun.add(step.id);
        };
        steps.forEach(take);
        for (const next of choices) {
          for (const id of ids) take({ does: 'admit', id });
          for (const id of ids) take({ does: 'plan', id });
          const out = walked.schedule.active.flatMap(({ jobId, chunks }) => (chunks?.inFlight ?? []).map((index) => ({ id: jobId, index })));
          const chosen = out[next % Math.max(1, out.length)];
          if (!chosen) break;
          take({ does: 'finish', ...chosen });
        }
        const missing = ids.flatMap((id) =>
          Array.from({ length: totals[id] ?? 0 }, (_, index) => index)
            .filter((index) => !hasChunk(doneBefore[id] ?? EMPTY_CHUNKS, index))
            .map((index) => `${id}/${index}`),
        );
        expect([...released].toSorted()).toEqual(missing.toSorted());
      }),
    );
  });

  it('no job that has chunks to give waits while another has two more out than it', () => {
    fc.assert(
      fc.property(anyLimits, fc.array(step, { maxLength: 60 }), (limits, steps) => {
        const walked = walk(limits);
        for (const step of steps) {
          const before = walked.schedule;
          const released = walked.step((schedule) => apply(schedule, step, limits));
          const outBefore = new Map(before.active.map(({ jobId, chunks }) => [jobId, chunks?.inFlight.length ?? 0]));
          const first = released[0]?.split('/')[0];
          if (first === undefined || step.does !== 'finish' || !before.active.some(({ jobId }) => jobId === first)) continue;
          const fewest = Math.min(
            ...walked.schedule.active
              .filter(({ chunks }) => chunks && chunks.next < chunks.total)
              .map(({ jobId }) => (outBefore.get(jobId) ?? 0) - (jobId === step.id ? 1 : 0)),
          );
          expect((outBefore.get(first) ?? 0) - (first === step.id ? 1 : 0)).toBeLessThanOrEqual(fewest);
        }
      }),
    );
  });
});
