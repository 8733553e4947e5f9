import { describe, expect, it } from '@jest/globals';
import { pause } from './pause.js';

const LONG = 60_000;

describe('a pause', () => {
  // Fake timers do not reach `node:timers/promises`. Node ends timers in the order of their ends, however late it is.
  it('ends after its time, and not before', async () => {
    const ended: number[] = [];
    await Promise.all([40, 20, 1].map(async (milliseconds) => {
      expect(await pause(milliseconds)).toBeUndefined();
      ended.push(milliseconds);
    }));
    expect(ended).toEqual([1, 20, 40]);
  });

  it('ends without an error when its signal aborts, before or during it', async () => {
    const closing = new AbortController();
    const during = pause(LONG, closing.signal);
    closing.abort(new Error('closing'));
    expect(await during).toBeUndefined();
    expect(await pause(LONG, closing.signal)).toBeUndefined();
  });
});
