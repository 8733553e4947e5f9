import { stat } from 'node:fs/promises';
import { setTimeout as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { TimeSlices } from './time-slices.js';

/** Milliseconds of a turn that long work has at most. */
const SLICE_MS = 10;
const CALLERS = 5;
const STEPS = 40;

/** Works, so that a turn of the event loop has the length that its work has. */
function workFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('slices of long work', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('wait for a turn of the event loop when their time is used up, and only then', async () => {
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    let turns = 0;
    await nextTurn(1);
    const slices = new TimeSlices();
    setImmediate(() => turns++);
    await slices.next();
    expect(turns).toBe(0);
    now += SLICE_MS;
    await slices.next();
    expect(turns).toBe(1);
  });

  it('share the time of a turn, however many callers there are and whenever they begin', async () => {
    let inTurn = 0;
    let most = 0;
    const ended = new AbortController();
    const turns = (async () => {
      for (; !ended.signal.aborted; inTurn = 0) await nextTurn(1);
    })();
    const work = async () => {
      const slices = new TimeSlices();
      for (let step = 0; step < STEPS; step += 1) {
        workFor(1);
        most = Math.max(most, (inTurn += 1));
        await slices.next();
      }
    };
    const all: Promise<void>[] = [];
    for (let caller = 0; caller < CALLERS; caller += 1) {
      // After input or output: the rest of the turn, with what setImmediate continues, is still to come.
      if (caller % 2 === 0) await stat('.');
      all.push(work());
    }
    await Promise.all(all);
    ended.abort();
    await turns;
    // A caller that begins when the time is used up takes one step before it waits.
    expect(most).toBeLessThanOrEqual(SLICE_MS + CALLERS);
  });

  it('end with the reason of their signal', async () => {
    const slices = new TimeSlices(AbortSignal.abort(new Error('closing')));
    workFor(SLICE_MS);
    await expect(slices.next()).rejects.toThrow('closing');
  });
});
