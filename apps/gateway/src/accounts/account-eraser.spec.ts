import { describe, expect, it } from '@jest/globals';
import { silentLogger, systemClock } from '@parlance/platform';
import { AccountEraser } from './account-eraser.js';

const DELETION = { erasureId: 'era_1', requestedAt: '2026-01-01T00:00:00.000Z', dueAt: '2026-01-02T00:00:00.000Z' };
const ACCOUNT = { id: 'acc_1', createdAt: '2026-01-01T00:00:00.000Z' };
const TASK = { id: 'era_1', accountId: 'acc_1', payload: null };

describe('the erasure of an account', () => {
  it('erases nothing when the deletion is withdrawn while it begins, and opens the account again', async () => {
    let account: object = { ...ACCOUNT, deletion: DELETION };
    const calls: string[] = [];
    const work = {
      closeAccount: async () => {
        calls.push('close');
        account = ACCOUNT;
      },
      reopenAccount: async () => void calls.push('reopen'),
      eraseAccountJobs: async () => calls.push('erase'),
    };
    const accounts = { get: async () => account, beginErasure: async () => account };
    const unused = {} as never;
    const eraser = new AccountEraser(accounts as never, work as never, unused, unused, unused, unused, unused, systemClock, silentLogger());
    const { signal } = new AbortController();
    const perform = () => eraser.worker().perform(TASK as never, { signal, draining: signal } as never);
    expect(await perform()).toMatchObject({ hasProgressed: true });
    expect(await perform()).toBeUndefined();
    expect(calls).toEqual(['close', 'reopen']);
  });
});
