import { describe, expect, it } from '@jest/globals';
import { settleAll } from './settle-all.js';

describe('settling all', () => {
  it('resolves when all of the work is done', async () => {
    await expect(settleAll([Promise.resolve(1), Promise.resolve()])).resolves.toBeUndefined();
    await expect(settleAll([])).resolves.toBeUndefined();
  });

  it('fails with the first failure only after the last work has ended', async () => {
    const last = Promise.withResolvers<void>();
    let settled = false;
    const all = settleAll([Promise.reject(new Error('first')), Promise.reject(new Error('second')), last.promise]).finally(() => (settled = true));
    all.catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toBe(false);
    last.resolve();
    await expect(all).rejects.toThrow('first');
  });
});
