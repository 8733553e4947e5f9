import { describe, expect, it } from '@jest/globals';
import { AppError, createMetrics, silentLogger } from '@parlance/platform';
import { FreeTime } from './free-time.js';

const HOUR = 3600;

/** The gateway's side, which a test can switch off. */
function start() {
  let isAway = false;
  let granted = true;
  let keyBudgetExhausted = false;
  const reserveSeconds = async () => {
    if (isAway) throw new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'The gateway does not answer.' });
    return { granted, keyBudgetExhausted };
  };
  const metrics = createMetrics();
  const freeTime = new FreeTime({ reserveSeconds }, silentLogger(), metrics);
  let made = 0;
  const ask = (accountId: string, seconds: number, jobId = `job_${(made += 1)}`) => freeTime.reserve({ accountId, jobId, run: 1, keyId: undefined, seconds }).then(() => 'goes on', (error: { code: string; retryable: boolean }) => `${error.code}${error.retryable ? ', to be tried again' : ''}`);
  return { ask, metrics, set: (changes: { isAway?: boolean; granted?: boolean; keyBudgetExhausted?: boolean }) => ({ isAway = isAway, granted = granted, keyBudgetExhausted = keyBudgetExhausted } = changes) };
}

describe('the free time of an account', () => {
  it('is what the gateway says', async () => {
    const { ask, set } = start();
    expect(await ask('acc_1', 100 * HOUR)).toBe('goes on');
    set({ granted: false });
    expect(await ask('acc_1', 1)).toBe('quota_exhausted');
    set({ granted: false, keyBudgetExhausted: true });
    expect(await ask('acc_1', 1)).toBe('key_budget_exhausted');
  });

  it('is five hours for each account while the gateway is away, until it is back; more waits', async () => {
    const { ask, set, metrics } = start();
    set({ isAway: true });
    expect(await ask('acc_1', 3 * HOUR)).toBe('goes on');
    expect(await ask('acc_1', 3 * HOUR)).toBe('service_unavailable, to be tried again');
    expect(await ask('acc_1', 2 * HOUR)).toBe('goes on');
    expect(await ask('acc_1', 1)).toBe('service_unavailable, to be tried again');
    expect(await ask('acc_2', 5 * HOUR)).toBe('goes on');
    expect(await metrics.metrics()).toContain('parlance_free_time_unanswered_total{went_on="true"} 3');
    set({ isAway: false });
    expect(await ask('acc_1', 3 * HOUR)).toBe('goes on');
    set({ isAway: true });
    expect(await ask('acc_1', 3 * HOUR)).toBe('goes on');
  });
});
