import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { admit, dropChunks, emptySchedule, inOrder, remove, type Schedule, type ScheduleLimits } from './schedule.js';

const NOON = '2026-01-01T12:00:00.000Z';
const limits: ScheduleLimits = { maxActive: 2 };
const job = (jobId: string, run = 1) => ({ jobId, run });
const empty = () => emptySchedule('acc_1', NOON);
const holding = (...ids: string[]): Schedule => admit(empty(), ids.map((id) => job(id)), { maxActive: ids.length })?.schedule ?? empty();
const activeIn = ({ active }: Schedule) => active.map(({ jobId }) => jobId);

describe("an account's schedule", () => {
  it('lets as many jobs begin as there is room for, each once', () => {
    const change = admit(empty(), [job('a'), job('b'), job('c')], limits);
    expect(change?.jobs).toEqual([job('a'), job('b')]);
    expect(change && admit(change.schedule, [job('a'), job('b'), job('c')], limits)).toBeUndefined();
  });

  it('lets normal jobs begin before those of a batch that are not an hour older, and keeps a quarter of the places for them', () => {
    const queued = (id: string, minute: number, isBatch: boolean) => ({ id, createdAt: new Date(Date.parse(NOON) + minute * 60_000).toISOString(), isBatch });
    const ordered = inOrder([queued('old batch', 0, true), queued('batch', 1, true), queued('normal', 30, false), queued('late', 60.5, false)]);
    expect(ordered.map(({ id }) => id)).toEqual(['normal', 'old batch', 'late', 'batch']);
    const batch = (jobId: string) => ({ ...job(jobId), isBatch: true });
    const change = admit(empty(), [batch('a'), batch('b'), batch('c'), batch('d'), job('e')], { maxActive: 4 });
    expect(change?.jobs.map(({ jobId }) => jobId)).toEqual(['a', 'b', 'c', 'e']);
    expect(admit(empty(), [batch('a')], { maxActive: 1 })?.jobs).toEqual([batch('a')]);
  });

  it('frees the place of a job whose run has ended, not that of a later run', () => {
    const schedule = admit(empty(), [job('a', 2), job('b')], limits)?.schedule ?? empty();
    expect(remove(schedule, job('a', 1))).toBeUndefined();
    expect(remove(schedule, job('c'))).toBeUndefined();
    expect(activeIn(remove(schedule, job('a', 2)) ?? schedule)).toEqual(['b']);
  });

  it('never holds more jobs than its account may have at work', () => {
    const step = fc.record({ does: fc.constantFrom('admit', 'remove'), id: fc.constantFrom('a', 'b', 'c', 'd', 'e') });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), (maxActive, steps) => {
        let schedule = empty();
        for (const { does, id } of steps) {
          const changed = does === 'admit' ? admit(schedule, [job(id)], { maxActive })?.schedule : remove(schedule, job(id));
          schedule = changed ?? schedule;
          expect(schedule.active.length).toBeLessThanOrEqual(maxActive);
          expect(new Set(activeIn(schedule)).size).toBe(schedule.active.length);
        }
      }),
    );
  });
});

describe('a schedule', () => {
  it('of the version before forgets the chunks of a job alone', () => {
    const chunks = { total: 3 };
    const schedule = { ...holding('a', 'b'), active: [{ ...job('a'), chunks }, { ...job('b'), chunks }] };
    expect(dropChunks(schedule, 'a').active).toEqual([job('a'), { ...job('b'), chunks }]);
  });
});
