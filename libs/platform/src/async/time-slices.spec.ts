import { describe, expect, it } from '@jest/globals';
import { TimeSlices } from './time-slices.js';

/** More than one slice. */
const LONG_MS = 100;

describe('slices of long work', () => {
  it('wait for a turn of the event loop when their time is used up, and only then', async () => {
    let now = 0;
    let turns = 0;
    const slices = new TimeSlices(undefined, () => now);
    setImmediate(() => turns++);
    await slices.next();
    expect(turns).toBe(0);
    now += LONG_MS;
    await slices.next();
    expect(turns).toBe(1);
  });

  it('of several callers are taken in a turn each', async () => {
    let now = 0;
    let turn = 0;
    let isDone = false;
    const count = () => {
      turn++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const callers = [1, 2, 3].map(() => new TimeSlices(undefined, () => now));
    now += LONG_MS;
    const turns = await Promise.all(callers.map((slices) => slices.next().then(() => turn)));
    isDone = true;
    expect(new Set(turns).size).toBe(callers.length);
  });

  it('end with the reason of their signal', async () => {
    let now = 0;
    const slices = new TimeSlices(AbortSignal.abort(new Error('closing')), () => now);
    now += LONG_MS;
    await expect(slices.next()).rejects.toThrow('closing');
  });
});
