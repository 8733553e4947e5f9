import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventData } from '@parlance/contracts';
import { ulidGenerator, type AppError } from '@parlance/platform';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import * as fc from 'fast-check';
import type { ApiKey } from '../src/keys/api-key.js';
import { ApiKeys } from '../src/keys/api-keys.js';
import type { Plan } from '../src/plans/index.js';
import type { JobEnd } from '../src/usage/job-end.js';
import { KeyBudgets } from '../src/usage/key-budgets.js';
import { Quota } from '../src/usage/quota.js';
import { UsageLedger } from '../src/usage/usage-ledger.js';
import { usageReport } from '../src/usage/usage-report.js';

const usage = (job: number, changes: Partial<EventData<'usage.recorded'>> = {}): EventData<'usage.recorded'> => ({
  usageId: `use_${job}_1`,
  accountId: 'acc_1',
  jobId: `job_${job}`,
  run: 1,
  keyId: 'key_1',
  projectId: undefined,
  operation: 'transcription',
  milliseconds: 1500,
  day: '2026-01-01',
  occurredAt: new Date('2026-01-01T09:30:00.000Z'),
  ...changes,
});

const ALL = { from: '2025-01-01', to: '2026-12-31' };
const DAYS = ['2025-12-31', '2026-01-01', '2026-01-02'] as const;
const PROJECTS = ['prj_1', undefined] as const;
const KEYS = ['key_1', 'key_2', undefined] as const;

class Killed extends Error {}

async function everything<T extends { id: string; createdAt: string }>(collection: DocumentCollection<T>): Promise<T[]> {
  return (await collection.find({ limit: 1000 })).items.map(({ document }) => document);
}

/** What two replicas of the gateway see of one database. */
interface LedgerStorage extends AsyncDisposable {
  replicas: readonly [DocumentDatabase, DocumentDatabase];
}

/** The ledger and the free time of accounts, over any database. @param rounds of random deliveries */
export function describeUsageLedger(name: string, open: () => Promise<LedgerStorage>, rounds: number): void {
  let storage: LedgerStorage;
  let now: Date;
  const clock = { now: () => now };
  beforeEach(async () => {
    now = new Date('2026-01-01T00:00:00.000Z');
    storage = await open();
  });
  afterEach(async () => storage[Symbol.asyncDispose]());
  /** It forgets soon, so that what comes again late meets sums that have forgotten it. */
  const ledgerOf = (replica: number) => new UsageLedger(storage.replicas[replica % 2] as DocumentDatabase, 2);

  /** A replica of the gateway that is killed after so many reads and writes of its storage, whichever they are. */
  function replicaKilledAfter(calls: number, replica: number): UsageLedger {
    let left = calls;
    const dying = <C extends object>(collection: C): C =>
      new Proxy(collection, {
        get: (target, name) => async (...args: unknown[]) => {
          if (left-- <= 0) throw new Killed();
          const result: unknown = await (Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>).apply(target, args);
          // The write happened, and nobody heard of it.
          if (left <= 0) throw new Killed();
          return result;
        },
      });
    const ledger = ledgerOf(replica);
    return Object.assign(ledger, { entries: dying(ledger.entries), days: dying(ledger.days), balances: dying(ledger.balances) });
  }

  describe(`the ledger on ${name}`, () => {
    it('is what a model says, whatever is delivered again, at once, late, or to replicas that are killed in the middle', async () => {
      let round = 0;
      const delivery = fc.record({ job: fc.nat(20), kill: fc.option(fc.nat(9), { nil: undefined, freq: 3 }), together: fc.boolean() });
      await fc.assert(
        fc.asyncProperty(fc.array(delivery, { minLength: 1, maxLength: 90 }), async (deliveries) => {
          const accountId = `acc_${(round += 1)}`;
          const event = (job: number) =>
            usage(job, { accountId, usageId: `use_${round}x${job}_1`, milliseconds: 1000 + job, day: DAYS[job % 3] as string, keyId: KEYS[(job >> 1) % 3], projectId: PROJECTS[job % 2] });
          const survivors = [ledgerOf(0), ledgerOf(1)] as const;
          let running: Promise<void>[] = [];
          for (const [at, { job, kill, together }] of deliveries.entries()) {
            const replica = kill === undefined ? survivors[at % 2] as UsageLedger : replicaKilledAfter(kill, at);
            running.push(replica.record(event(job)).catch((error: unknown) => { if (!(error instanceof Killed)) throw error; }));
            if (!together) running = (await Promise.all(running), []);
          }
          await Promise.all(running);
          const jobs = [...new Set(deliveries.map(({ job }) => job))];
          // What was not acknowledged comes again, to anybody.
          await Promise.all(jobs.map((job, at) => (survivors[at % 2] as UsageLedger).record(event(job))));

          const total = jobs.reduce((sum, job) => sum + 1000 + job, 0);
          const [ledger] = survivors;
          expect((await ledger.balances.get(accountId))?.document).toMatchObject({ milliseconds: total, requests: jobs.length });
          for (const by of ['day', 'key', 'operation', 'project'] as const) {
            const { groups, totalMilliseconds } = await usageReport(ledger.days, accountId, ALL, by);
            expect(totalMilliseconds).toBe(total);
            const model = Map.groupBy(jobs, (job) => (by === 'day' ? DAYS[job % 3] : by === 'key' ? (KEYS[(job >> 1) % 3] ?? 'none') : by === 'project' ? (PROJECTS[job % 2] ?? 'none') : 'transcription') as string);
            const expected = [...model].map(([group, ofGroup]) => ({ group, milliseconds: ofGroup.reduce((sum, job) => sum + 1000 + job, 0), requests: ofGroup.length }));
            expect(groups).toMatchObject(expected.toSorted((one, other) => (one.group < other.group ? -1 : 1)));
          }
        }),
        { numRuns: rounds },
      );
      const ledger = ledgerOf(0);
      const sums = await ledger.balances.find({ limit: 1000 });
      for (const { document } of sums.items) expect(document.taken.length).toBeLessThanOrEqual(20);
      expect((await everything(ledger.entries)).every(({ counted }) => counted)).toBe(true);
    });

    it('tells of the days asked for only, each once', async () => {
      const ledger = ledgerOf(0);
      for (const [at, day] of DAYS.entries()) await ledger.record(usage(at, { day }));
      const { groups, totalMilliseconds } = await usageReport(ledger.days, 'acc_1', { from: '2026-01-01', to: '2026-01-01' }, 'day');
      expect(groups).toMatchObject([{ group: '2026-01-01', milliseconds: 1500, requests: 1 }]);
      expect(totalMilliseconds).toBe(1500);
      expect(await usageReport(ledger.days, 'acc_2', ALL, 'day')).toEqual({ groups: [], totalMilliseconds: 0 });
    });
  });

  describe(`the free time of an account on ${name}`, () => {
    const plan = (billing: Plan['billing']): Plan => ({ name: 'tiny', freeSeconds: 10, billing, limits: {} });
    const ends = new Map<string, JobEnd>();
    const quotaOf = (ledger: UsageLedger, billing: Plan['billing'] = 'stop') => new Quota(ledger, { of: async () => plan(billing) }, clock, async (_, jobId) => ends.get(jobId));
    const first = (jobId: string) => ({ jobId, run: 1 });
    const heard = (quota: Quota, jobId: string, run: number, billed: boolean) => quota.ended({ accountId: 'acc_1', jobId, run, billed });
    beforeEach(() => ends.clear());
    const refusal = async (work: Promise<void>) => work.then(() => undefined, (error: unknown) => (error as AppError).code);

    it('is what the plan gives less what the ledger says, and never below nothing', async () => {
      const ledger = ledgerOf(0);
      const quota = quotaOf(ledger);
      expect(await quota.of('acc_1')).toEqual({ freeSeconds: 10, freeSecondsLeft: 10 });
      await ledger.record(usage(1, { milliseconds: 9999 }));
      expect(await quota.of('acc_1')).toEqual({ freeSeconds: 10, freeSecondsLeft: 0.001 });
      expect(await refusal(quota.require('acc_1'))).toBeUndefined();
      await ledger.record(usage(2));
      expect(await quota.of('acc_1')).toEqual({ freeSeconds: 10, freeSecondsLeft: 0 });
      expect(await refusal(quota.require('acc_1'))).toBe('quota_exhausted');
      expect(await refusal(quotaOf(ledger, 'pay').require('acc_1'))).toBeUndefined();
    });

    it('is not used twice by jobs at the same time: one may cross the line, the others wait for what it leaves', async () => {
      const ledger = ledgerOf(0);
      const quotas = [quotaOf(ledger), quotaOf(ledgerOf(1))] as const;
      const granted = await Promise.all(Array.from({ length: 12 }, (_, job) => (quotas[job % 2] as Quota).reserve('acc_1', first(`job_${job}`), 4000)));
      expect(granted.filter(Boolean)).toHaveLength(3);
      const [one = 0, other = 0] = granted.flatMap((isGranted, job) => (isGranted ? [job] : []));
      const [quota] = quotas;
      expect(await quota.reserve('acc_1', first(`job_${one}`), 4000)).toBe(true);
      expect(await refusal(quota.require('acc_1'))).toBe('quota_exhausted');
      await quota.release('acc_1', first(`job_${one}`));
      expect(await refusal(quota.require('acc_1'))).toBeUndefined();
      // What was held becomes what was used, without a moment in which it is neither.
      await ledger.record(usage(other, { milliseconds: 4000 }));
      expect((await ledger.balances.get('acc_1'))?.document).toMatchObject({ milliseconds: 4000, requests: 1 });
      expect(Object.keys((await ledger.balances.get('acc_1'))?.document.holds ?? {})).toHaveLength(1);
    });

    it('is not held by a job that ended just before its seconds were set aside', async () => {
      const quota = quotaOf(ledgerOf(0));
      ends.set('job_over', { run: 1, billedMilliseconds: 0 });
      expect(await quota.reserve('acc_1', first('job_over'), 20_000)).toBe(true);
      expect(await quota.reserve('acc_1', first('job_2'), 20_000)).toBe(true);
      expect(await quota.reserve('acc_1', first('job_3'), 1000)).toBe(false);
      expect(await refusal(quotaOf(ledgerOf(1)).require('acc_1'))).toBe('quota_exhausted');
    });

    it('stays a retry’s when its earlier run’s end is told of late, again, or found out by a look', async () => {
      const quota = quotaOf(ledgerOf(0));
      expect(await quota.reserve('acc_1', first('job_1'), 20_000)).toBe(true);
      ends.set('job_1', { run: 1, billedMilliseconds: 0 });
      expect(await quota.reserve('acc_1', { jobId: 'job_1', run: 2 }, 20_000)).toBe(true);
      expect(await quota.reserve('acc_1', first('job_1'), 20_000)).toBe(true);
      await heard(quota, 'job_1', 1, false);
      await heard(quota, 'job_1', 1, false);
      expect(await quota.reserve('acc_1', first('job_2'), 1000)).toBe(false);
      await heard(quota, 'job_1', 2, false);
      expect(await quota.reserve('acc_1', first('job_2'), 1000)).toBe(true);
    });

    it('is never free between the end of a job and the entry of what it was billed', async () => {
      const ledger = ledgerOf(0);
      const quota = quotaOf(ledger);
      expect(await quota.reserve('acc_1', first('job_1'), 12_000)).toBe(true);
      // Canceled after eleven seconds: the two events come by different topics, in any order.
      ends.set('job_1', { run: 1, billedMilliseconds: 11_000 });
      await heard(quota, 'job_1', 1, true);
      expect(await quota.reserve('acc_1', first('job_2'), 1000)).toBe(false);
      await ledger.record(usage(1, { milliseconds: 11_000 }));
      expect((await ledger.balances.get('acc_1'))?.document).toMatchObject({ milliseconds: 11_000, holds: {} });
      expect(await quotaOf(ledger).reserve('acc_1', first('job_2'), 1000)).toBe(false);
    });

    it('is found again by all who are refused at the same time', async () => {
      const quota = quotaOf(ledgerOf(0));
      expect(await quota.reserve('acc_1', first('job_1'), 12_000)).toBe(true);
      ends.set('job_1', { run: 1, billedMilliseconds: 0 });
      expect(await Promise.all(Array.from({ length: 5 }, () => refusal(quota.require('acc_1'))))).toEqual(Array(5).fill(undefined));
    });

    it('comes back a minute after its job was seen to be deleted, as what it was billed may still be on its way', async () => {
      const ledger = ledgerOf(0);
      ends.set('job_1', 'deleted');
      const quota = quotaOf(ledger);
      const askLater = (milliseconds: number) => {
        now = new Date(now.getTime() + milliseconds);
        return quota.reserve('acc_1', first('job_2'), 1000);
      };
      expect(await quota.reserve('acc_1', first('job_1'), 12_000)).toBe(true);
      expect(await askLater(0)).toBe(false);
      expect(await askLater(59_999)).toBe(false);
      expect(await askLater(2001)).toBe(true);
    });

    it('comes back when nobody says for a week that a job has ended', async () => {
      const quota = quotaOf(ledgerOf(0));
      expect(await quota.reserve('acc_1', first('job_1'), 20_000)).toBe(true);
      expect(await quota.reserve('acc_1', first('job_2'), 1000)).toBe(false);
      now = new Date(now.getTime() + 8 * 24 * 60 * 60_000);
      expect(await quota.reserve('acc_1', first('job_2'), 1000)).toBe(true);
    });
  });
  describe(`the budget of a key on ${name}`, () => {
    const ends = new Map<string, JobEnd>();
    const ids = ulidGenerator();
    beforeEach(() => ends.clear());
    const replica = (at: 0 | 1) => {
      const documents = storage.replicas[at];
      const keys = new ApiKeys(documents, clock, ids, (length) => randomBytes(length));
      const ledger = ledgerOf(at);
      const quota = new Quota(ledger, { of: async () => ({ name: 'paid', freeSeconds: 0, billing: 'pay', limits: {} }) }, clock, async (_, jobId) => ends.get(jobId));
      return { keys, ledger, budgets: new KeyBudgets(keys, ledger, quota, clock) };
    };
    const issue = async ({ keys }: ReturnType<typeof replica>, monthlySeconds?: number) => (await keys.issue({ accountId: 'acc_1', name: 'test', scopes: ['search'], monthlySeconds })).key;
    const refusal = async (work: Promise<void>) => work.then(() => undefined, (error: unknown) => (error as AppError).code);
    const first = (jobId: string) => ({ jobId, run: 1 });
    const used = async (budgets: KeyBudgets, key: ApiKey) => (await budgets.of([key]))[0]?.usedSeconds;

    it('bounds the jobs of all replicas at the same time, of this key alone', async () => {
      const [one, other] = [replica(0), replica(1)];
      const [key, free] = [await issue(one, 10), await issue(one)];
      const granted = await Promise.all(Array.from({ length: 12 }, (_, job) => (job % 2 ? one : other).budgets.reserve('acc_1', key.id, first(`job_${job}`), 4000)));
      expect(granted.filter(Boolean)).toHaveLength(3);
      expect(await refusal(one.budgets.require('acc_1', key.id))).toBe('key_budget_exhausted');
      expect(await one.budgets.reserve('acc_1', free.id, first('job_free'), 99_000)).toBe(true);
      expect(await refusal(one.budgets.require('acc_1', free.id))).toBeUndefined();
    });

    it('is what the ledger says of its month, its rotations included, and a reservation until its usage is there', async () => {
      const { keys, ledger, budgets } = replica(0);
      const key = await issue(replica(0), 10);
      expect(await budgets.reserve('acc_1', key.id, first('job_1'), 9000)).toBe(true);
      await ledger.record(usage(1, { keyId: key.id, milliseconds: 9000 }));
      await budgets.release('acc_1', first('job_1'));
      expect(await used(budgets, key)).toBe(9);
      const { key: rotated } = await keys.rotate('acc_1', key.id, 60);
      expect(await used(budgets, rotated)).toBe(9);
      expect(await budgets.reserve('acc_1', rotated.id, first('job_2'), 5000)).toBe(true);
      expect(await budgets.reserve('acc_1', key.id, first('job_3'), 1000)).toBe(false);
      now = new Date('2026-02-01T00:00:00.000Z');
      expect([await used(budgets, rotated), await budgets.reserve('acc_1', rotated.id, first('job_3'), 1000)]).toEqual([0, true]);
    });

    it('has again what a job reserved that ended without being billed', async () => {
      const { budgets } = replica(0);
      const key = await issue(replica(0), 10);
      expect(await budgets.reserve('acc_1', key.id, first('job_1'), 20_000)).toBe(true);
      ends.set('job_1', { run: 1, billedMilliseconds: 0 });
      expect(await refusal(budgets.require('acc_1', key.id))).toBeUndefined();
    });

    it('counts what was used by a rotation that was deleted since', async () => {
      const { keys, ledger, budgets } = replica(0);
      const key = await issue(replica(0), 10);
      const { key: second } = await keys.rotate('acc_1', key.id, 60);
      const { key: third } = await keys.rotate('acc_1', second.id, 60);
      await ledger.record(usage(1, { keyId: key.id, milliseconds: 4000 }));
      await ledger.record(usage(2, { keyId: second.id, milliseconds: 5000 }));
      for (const { id } of [key, second]) await keys.revoke('acc_1', id, { allowLockout: true });
      expect(await used(budgets, third)).toBe(9);
      expect(await budgets.reserve('acc_1', third.id, first('job_3'), 2000)).toBe(true);
      expect(await refusal(budgets.require('acc_1', third.id))).toBe('key_budget_exhausted');
    });

    it('bounds the queued jobs of a key that was revoked, until the month is over', async () => {
      const { keys, budgets } = replica(0);
      const key = await issue(replica(0), 10);
      const { key: rotated } = await keys.rotate('acc_1', key.id, 60);
      for (const { id } of [key, rotated]) await keys.revoke('acc_1', id, { allowLockout: true });
      expect(await budgets.reserve('acc_1', rotated.id, first('job_1'), 10_000)).toBe(true);
      await budgets.sweep();
      for (const { id } of [key, rotated]) expect(await replica(1).budgets.reserve('acc_1', id, first('job_2'), 1000)).toBe(false);
      now = new Date('2026-02-01T00:00:00.001Z');
      await budgets.sweep();
      expect(await everything(keys.budgets.collection)).toEqual([]);
    });

    it('stays in the months after while a key of it is left', async () => {
      const { keys, budgets } = replica(0);
      const key = await issue(replica(0), 10);
      const { key: rotated } = await keys.rotate('acc_1', key.id, 60);
      await keys.revoke('acc_1', key.id, { allowLockout: true });
      now = new Date('2026-02-01T00:00:00.001Z');
      await budgets.sweep();
      expect(await everything(keys.budgets.collection)).toMatchObject([{ id: key.id, keyIds: [key.id, rotated.id], monthlySeconds: 10, sweepAfter: '2026-03-01T00:00:00.000Z' }]);
      expect(await used(budgets, rotated)).toBe(0);
    });

    it('is one for all rotations, whichever of them it is set for, also while the key is rotated', async () => {
      const [{ keys, budgets, ledger }, other] = [replica(0), replica(1)];
      const key = await issue(replica(0));
      const [{ key: rotated }] = await Promise.all([keys.rotate('acc_1', key.id, 60), other.keys.setBudget('acc_1', key.id, 20)]);
      await ledger.record(usage(1, { keyId: rotated.id, milliseconds: 9000 }));
      await keys.setBudget('acc_1', rotated.id, 10);
      expect(await budgets.of([key, rotated])).toEqual([{ monthlySeconds: 10, usedSeconds: 9 }, { monthlySeconds: 10, usedSeconds: 9 }]);
    });

    it('can be changed and removed', async () => {
      const { keys, budgets } = replica(0);
      const key = await issue(replica(0), 10);
      expect(await budgets.reserve('acc_1', key.id, first('job_1'), 20_000)).toBe(true);
      expect(await refusal(budgets.require('acc_1', key.id))).toBe('key_budget_exhausted');
      for (const [seconds, expected] of [[21, undefined], [20, 'key_budget_exhausted'], [undefined, undefined]] as const) {
        await keys.setBudget('acc_1', key.id, seconds);
        budgets.forget();
        expect(await refusal(budgets.require('acc_1', key.id))).toBe(expected);
      }
    });
  });
}
