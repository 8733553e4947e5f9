import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Periodic } from './periodic.js';

const unexpected = (error: unknown) => {
  throw error;
};

describe('periodic work', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('begins after each interval, at once if asked to, and not after it was closed', async () => {
    let [rounds, immediate] = [0, 0];
    const later = new Periodic(1000, async () => void (rounds += 1), unexpected);
    const now = new Periodic(1000, async () => void (immediate += 1), unexpected);
    later.start();
    now.start({ immediately: true });
    expect([rounds, immediate]).toEqual([0, 1]);
    await jest.advanceTimersByTimeAsync(2000);
    await Promise.all([later.close(), now.close()]);
    await jest.advanceTimersByTimeAsync(2000);
    expect([rounds, immediate]).toEqual([2, 3]);
  });

  it('skips the rounds that would begin while one runs', async () => {
    const outage = Promise.withResolvers<void>();
    let rounds = 0;
    const periodic = new Periodic(1000, () => ((rounds += 1), outage.promise), unexpected);
    periodic.start();
    await jest.advanceTimersByTimeAsync(5000);
    outage.resolve();
    await jest.advanceTimersByTimeAsync(0);
    expect(rounds).toBe(1);
    await jest.advanceTimersByTimeAsync(1000);
    expect(rounds).toBe(2);
    await periodic.close();
  });

  it('continues after a round that failed', async () => {
    const errors: unknown[] = [];
    const periodic = new Periodic(1000, () => Promise.reject(new Error(`round ${errors.length + 1}`)), (error) => errors.push(error));
    periodic.start();
    await jest.advanceTimersByTimeAsync(2000);
    await periodic.close();
    expect(errors).toEqual([new Error('round 1'), new Error('round 2')]);
  });

  it('aborts the round that runs when it is closed, waits for its end, and reports no failure of it', async () => {
    const seen: string[] = [];
    const ended = Promise.withResolvers<void>();
    const work = async (signal: AbortSignal) => {
      signal.addEventListener('abort', () => seen.push('aborted'));
      await ended.promise;
      seen.push('ended');
      throw new Error('after the abort');
    };
    const periodic = new Periodic(1000, work, () => seen.push('reported'));
    periodic.start({ immediately: true });
    const closing = periodic.close().then(() => seen.push('closed'));
    ended.resolve();
    await closing;
    expect(seen).toEqual(['aborted', 'ended', 'closed']);
  });
});
