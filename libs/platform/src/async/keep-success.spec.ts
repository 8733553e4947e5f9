import { describe, expect, it } from '@jest/globals';
import { keepSuccess } from './keep-success.js';

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
