import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StorageFolder } from '../../test/storage-folder.js';
import { KeyBudgetRecords } from '../keys/key-budget.js';
import type { Plan } from '../plans/index.js';
import type { AskForEnd } from './job-end.js';
import { KeyBudgets } from './key-budgets.js';
import { Quota, type LiveTime } from './quota.js';
import { UsageLedger } from './usage-ledger.js';

const ACCOUNT = 'acc_1';
const KEY = 'key_1';
const SECONDS = 60;
const NEXT: LiveTime = { neededMs: 1000, wantedMs: 30_000 };

describe('the time that live sessions take', () => {
  let storage: StorageFolder;
  let ledger: UsageLedger;
  let keys: ConstructorParameters<typeof KeyBudgets>[0];
  let billing: Plan['billing'];
  let askForEnd: AskForEnd;
  beforeEach(async () => {
    storage = await StorageFolder.open('2026-05-10T00:00:00.000Z');
    ledger = new UsageLedger(storage.documents);
    keys = { get: async () => undefined, budgets: new KeyBudgetRecords(storage.documents, storage.clock) };
    billing = 'stop';
    askForEnd = async () => undefined;
    await keys.budgets.set({ id: KEY, accountId: ACCOUNT, scopes: [] }, SECONDS);
  });
  afterEach(() => storage[Symbol.asyncDispose]());

  const quotaNow = () => new Quota(ledger, { of: async () => ({ name: 'tiny', freeSeconds: SECONDS, billing, limits: {} }) }, storage.clock, (accountId, jobId) => askForEnd(accountId, jobId));
  /** As a process of its own sees the account, or the key. */
  const kinds = {
    account: () => {
      const quota = quotaNow();
      return { extend: (jobId: string, time: LiveTime) => quota.extend(ACCOUNT, jobId, time), reserve: (jobId: string, ms: number) => quota.reserve(ACCOUNT, { jobId, run: 1 }, ms), error: 'quota_exhausted' };
    },
    key: () => {
      const budgets = new KeyBudgets(keys, ledger, quotaNow(), storage.clock);
      return { extend: (jobId: string, time: LiveTime) => budgets.extend(ACCOUNT, KEY, jobId, time), reserve: (jobId: string, ms: number) => budgets.reserve(ACCOUNT, KEY, { jobId, run: 1 }, ms), error: 'key_budget_exhausted' };
    },
  };

  describe.each(['account', 'key'] as const)('of the %s', (kind) => {
    it('is never more than is left, however many sessions in two processes take it at once', async () => {
      const replicas = [kinds[kind](), kinds[kind]()];
      const asked = await Promise.allSettled(Array.from({ length: 100 }, (_, session) => replicas[session % 2]?.extend(`job_${session}`, NEXT)));
      const held = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value ?? 0] : []));
      expect(held.reduce((sum, ms) => sum + ms, 0)).toBe(SECONDS * 1000);
      for (const each of asked) if (each.status === 'rejected') expect(each.reason).toMatchObject({ kind: 'payment_required', code: replicas[0]?.error });
    });

    it('grows with the session up to the last second, and no file gets any of it', async () => {
      const { extend, reserve, error } = kinds[kind]();
      expect(await extend('job_1', NEXT)).toBe(30_000);
      expect(await extend('job_1', NEXT)).toBe(30_000);
      expect(await extend('job_1', { neededMs: 59_000, wantedMs: 88_000 })).toBe(60_000);
      expect(await reserve('job_2', 1)).toBe(false);
      await expect(extend('job_2', NEXT)).rejects.toMatchObject({ code: error });
      await expect(extend('job_1', { neededMs: 60_001, wantedMs: 90_000 })).rejects.toMatchObject({ code: error });
      expect(await extend('job_1', { neededMs: 60_000, wantedMs: 90_000 })).toBe(60_000);
    });

    it('is what its recording has once the session has ended, and the rest is free again', async () => {
      const { extend, reserve } = kinds[kind]();
      await extend('job_1', { neededMs: 31_000, wantedMs: 60_000 });
      expect(await reserve('job_1', 31_000)).toBe(true);
      expect(await extend('job_2', NEXT)).toBe(29_000);
    });

    it('is free again when the job of a session ended without using it', async () => {
      const { extend } = kinds[kind]();
      await extend('job_1', { neededMs: 60_000, wantedMs: 60_000 });
      askForEnd = async (_account, jobId) => (jobId === 'job_1' ? { run: 1, billedMilliseconds: 0 } : undefined);
      storage.after(2001);
      expect(await extend('job_2', NEXT)).toBe(30_000);
    });
  });

  it('has no bound where the account pays, and for keys without a budget', async () => {
    billing = 'pay';
    expect(await kinds.account().extend('job_1', { neededMs: 1e9, wantedMs: 2e9 })).toBe(2e9);
    expect(await new KeyBudgets(keys, ledger, quotaNow(), storage.clock).extend(ACCOUNT, 'key_2', 'job_1', { neededMs: 1e9, wantedMs: 2e9 })).toBe(2e9);
  });
});
