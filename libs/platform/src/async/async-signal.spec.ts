import { describe, expect, it } from '@jest/globals';
import { AsyncSignal } from './async-signal.js';

const LONG = 60_000;

describe('an asynchronous signal', () => {
  it('ends a wait when it is notified', async () => {
    const signal = new AsyncSignal();
    const waited = signal.wait(LONG);
    signal.notify();
    expect(await waited).toBe(true);
  });

  it('keeps one notification that comes while nothing waits', async () => {
    const signal = new AsyncSignal();
    signal.notify();
    signal.notify();
    expect([await signal.wait(LONG), await signal.wait(1)]).toEqual([true, false]);
  });

  it('says that the time was over, or that the wait was aborted', async () => {
    const signal = new AsyncSignal();
    expect(await signal.wait(1)).toBe(false);
    const closing = new AbortController();
    const waited = signal.wait(LONG, closing.signal);
    closing.abort();
    expect([await waited, await signal.wait(LONG, closing.signal)]).toEqual([false, false]);
  });
});
