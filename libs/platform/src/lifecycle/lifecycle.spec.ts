import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '../logging/logger.js';
import { checkHealth } from './health.js';
import { Lifecycle } from './lifecycle.js';

describe('a lifecycle', () => {
  it('closes in reverse order, once, and goes on when one close fails', async () => {
    const closed: string[] = [];
    const failedBefore: boolean[] = [];
    const lifecycle = new Lifecycle(silentLogger());
    lifecycle.onClose('first', async () => {
      closed.push('first');
      failedBefore.push(lifecycle.hasFailed);
    });
    lifecycle.onClose('broken', async () => {
      throw new Error('stuck');
    });
    lifecycle.onClose('last', async () => {
      closed.push('last');
      failedBefore.push(lifecycle.hasFailed);
    });
    await Promise.all([lifecycle.close(), lifecycle.close()]);
    expect(closed).toEqual(['last', 'first']);
    expect(failedBefore).toEqual([false, true]);
  });
});

describe('checkHealth', () => {
  it('is ok when every check is', async () => {
    expect(await checkHealth([{ name: 'bus', check: async () => {} }])).toEqual({ status: 'ok', checks: { bus: 'ok' } });
  });

  it('names what is away and what does not answer', async () => {
    const report = await checkHealth(
      [
        { name: 'bus', check: async () => Promise.reject(new Error('refused')) },
        { name: 'store', check: () => new Promise(() => {}) },
      ],
      10,
    );
    expect(report).toEqual({ status: 'unavailable', checks: { bus: 'refused', store: 'timed out' } });
  });
});
