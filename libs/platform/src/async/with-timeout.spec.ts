import { describe, expect, it } from '@jest/globals';
import { withTimeout } from './with-timeout.js';

const LONG = 60_000;
const never = () => new Promise<string>(() => {});
const tooLate = (): never => {
  throw new Error('too late');
};

describe('work with a time-out', () => {
  it('ends as it does when it is in time', async () => {
    expect(await withTimeout(LONG, Promise.resolve('done'), tooLate)).toBe('done');
    await expect(withTimeout(LONG, Promise.reject(new Error('no')), tooLate)).rejects.toThrow('no');
  });

  it('fails, or gets another value, when it is not', async () => {
    await expect(withTimeout(1, never(), tooLate)).rejects.toThrow('too late');
    expect(await withTimeout(1, never(), () => 'gave up')).toBe('gave up');
  });

  it('may fail after the time-out: that rejection is handled', async () => {
    const work = Promise.withResolvers<string>();
    expect(await withTimeout(1, work.promise, () => 'gave up')).toBe('gave up');
    const unhandled: unknown[] = [];
    const keep = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', keep);
    work.reject(new Error('no'));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', keep);
    expect(unhandled).toEqual([]);
  });
});
