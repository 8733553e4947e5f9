import { describe, expect, it } from '@jest/globals';
import { keepSuccess, singleFlight } from './single-flight.js';

describe('a single flight', () => {
  it('is shared by the calls that are made while it runs, and ends with it', async () => {
    let runs = 0;
    const work = singleFlight(async () => (runs += 1));
    expect(await Promise.all([work(), work()])).toEqual([1, 1]);
    expect(await work()).toBe(2);
  });

  it('fails for all of them, and runs again after that', async () => {
    const outcomes = [() => Promise.reject(new Error('no')), () => Promise.resolve('done')];
    const work = singleFlight(() => outcomes.shift()!());
    const together = await Promise.allSettled([work(), work()]);
    expect(together.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await work()).toBe('done');
  });
});

describe('what is loaded once', () => {
  it('is loaded again after a failure, and then kept', async () => {
    let tries = 0;
    const load = keepSuccess(async () => {
      tries += 1;
      if (tries === 1) throw new Error('EMFILE');
      return tries;
    });
    const [first, together] = await Promise.allSettled([load(), load()]);
    expect([first?.status, together?.status, tries]).toEqual(['rejected', 'rejected', 1]);
    expect([await load(), await load()]).toEqual([2, 2]);
  });
});
