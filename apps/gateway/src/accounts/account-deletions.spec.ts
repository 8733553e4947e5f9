import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AppError, silentLogger, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase } from '@parlance/storage';
import { eventually } from '@parlance/testing';
import { openTaskQueue, type TaskContext, type TaskQueue } from '@parlance/task-queue';
import { defaultPlans } from '../../test/default-plans.js';
import { ApiKeys } from '../keys/api-keys.js';
import { newDeletion } from './account-deletion.js';
import { AccountDeletions } from './account-deletions.js';
import { AccountEraser } from './account-eraser.js';
import { Accounts } from './accounts.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const START = Date.parse('2026-03-01T10:00:00.000Z');

/** Ingest, as far as a deletion needs it. */
class WorkOfIngest {
  readonly closed = new Set<string>();
  readonly completed: string[] = [];
  isHeld = false;
  /** How often a hold refused the closing of the account. */
  refusals = 0;
  /** What happens at the same time as the next call. */
  meanwhile: (() => Promise<unknown>) | undefined;
  /** Thrown by the next call. */
  failure: Error | undefined;

  async closeAccount({ accountId }: { accountId: string }) {
    await this.elsewhere();
    this.fail();
    this.requireNoHold();
    this.closed.add(accountId);
    return {};
  }

  async reopenAccount({ accountId }: { accountId: string }) {
    await this.elsewhere();
    this.fail();
    this.closed.delete(accountId);
    return {};
  }

  async beginAccountErasure() {
    this.requireNoHold();
    return {};
  }

  async eraseAccountJobs() {
    this.fail();
    return { left: 0 };
  }

  async completeAccountErasure({ erasureId }: { erasureId: string }) {
    this.completed.push(erasureId);
    return {};
  }

  private requireNoHold(): void {
    if (!this.isHeld) return;
    this.refusals += 1;
    throw new AppError({ code: 'legal_hold', message: 'The account is held.' });
  }

  private async elsewhere(): Promise<void> {
    const { meanwhile } = this;
    this.meanwhile = undefined;
    await meanwhile?.();
  }

  private fail(): void {
    const { failure } = this;
    this.failure = undefined;
    if (failure) throw failure;
  }
}

describe('the deletion of an account', () => {
  let opened: AsyncDisposableStack;
  let now: number;
  let work: WorkOfIngest;
  let tasks: TaskQueue;
  let accounts: Accounts;
  let eraser: AccountEraser;
  let deletions: AccountDeletions;
  let accountId: string;
  const clock = { now: () => new Date(now) };
  const random = (length: number) => randomBytes(length);

  beforeEach(async () => {
    opened = new AsyncDisposableStack();
    now = START;
    work = new WorkOfIngest();
    const folder = await mkdtemp(join(tmpdir(), 'parlance-deletions-'));
    opened.defer(() => rm(folder, { recursive: true }));
    const ids = ulidGenerator();
    const log = silentLogger();
    const documents = await openDocumentDatabase(`sqlite:${join(folder, 'gateway.db')}`, { clock, ids, log, source: 'gateway' });
    opened.defer(() => documents.close());
    tasks = await openTaskQueue(`sqlite:${join(folder, 'tasks.db')}`, { clock, log, isOwner: true });
    opened.defer(() => tasks.close());
    accounts = new Accounts(documents, new ApiKeys(documents, clock, ids, random), defaultPlans(), clock, ids);
    const nothing = { countAccountData: async () => ({ held: [] }), eraseAccountData: async () => ({}) };
    eraser = new AccountEraser(accounts, work as never, nothing, nothing, nothing, { removePrefix: async () => 0 }, tasks, clock, log);
    deletions = new AccountDeletions(accounts, eraser, work, random, { ACCOUNT_DELETION_DAYS: 30 }, clock);
    accountId = (await accounts.create({ email: 'ada@example.org' })).account.id;
  });
  afterEach(() => opened.disposeAsync());

  /** One try of the task of an erasure. */
  const perform = (erasureId: string) => {
    const { signal } = new AbortController();
    const task = { id: erasureId, accountId, payload: null, group: accountId, attempt: 1, enqueuedAt: new Date(now), fencingToken: 1 };
    return eraser.worker().perform(task, { signal, draining: signal, maxAttempts: Infinity } satisfies TaskContext);
  };
  const deletionOf = async () => (await accounts.require(accountId)).deletion;
  const byOperator = (days: number) => accounts.scheduleDeletion(accountId, newDeletion(random, clock.now(), days, true));

  it('keeps the receipt whose id was given first, also when the operator requests it again, and for another time', async () => {
    const { deletion: first } = await deletions.request(accountId);
    now += DAY_MS;
    for (const days of [3, 1]) {
      const { deletion } = await byOperator(days);
      expect(deletion).toEqual({ erasureId: first?.erasureId, requestedAt: first?.requestedAt, dueAt: new Date(now + days * DAY_MS).toISOString(), byOperator: true, isTaskOutdated: true });
    }
    await expect(deletions.withdraw(accountId)).rejects.toMatchObject({ code: 'invalid_state' });
    expect((await deletions.request(accountId)).deletion).toEqual(await deletionOf());
  });

  it('ends at the time that the operator gave, though its task waits for a later one', async () => {
    const working = await tasks.work(eraser.worker());
    opened.defer(() => working.close());
    const { deletion } = await deletions.request(accountId);
    await eventually('its task to wait', async () => (await tasks.backlog('account-erasures')).delayed === 1);
    await byOperator(0);
    await eraser.sweep();
    await eventually('the erasure to begin', async () => (await deletionOf())?.erasingSince !== undefined);
    now += 10_000;
    await eventually('the receipt', async () => work.completed.length > 0);
    expect([work.completed, await accounts.get(accountId)]).toEqual([[deletion?.erasureId], undefined]);
  });

  it('is not withdrawn by the account when the operator requests it at that moment, and only an operator restores the account', async () => {
    await deletions.request(accountId);
    work.meanwhile = () => byOperator(1);
    await expect(deletions.withdraw(accountId)).rejects.toMatchObject({ code: 'invalid_state' });
    expect([await deletionOf(), [...work.closed]]).toMatchObject([{ byOperator: true }, [accountId]]);
    expect((await accounts.withdrawDeletion(accountId, 'operator')).deletion).toBeUndefined();
  });

  it('that a legal hold refuses leaves the one that the operator requested at that moment', async () => {
    work.isHeld = true;
    work.meanwhile = () => byOperator(1);
    await expect(deletions.request(accountId)).rejects.toMatchObject({ code: 'legal_hold' });
    expect(await deletionOf()).toMatchObject({ byOperator: true });
  });

  it('of a held account is looked at every ten minutes while the sweep runs each minute, also after the operator changed its time', async () => {
    const working = await tasks.work(eraser.worker());
    opened.defer(() => working.close());
    await deletions.request(accountId);
    await eventually('its task to wait', async () => (await tasks.backlog('account-erasures')).delayed === 1);
    work.isHeld = true;
    await byOperator(0);
    for (let minute = 0; minute < 30; minute += 1) {
      await eraser.sweep();
      await eventually(`the look of minute ${minute}`, async () => work.refusals === Math.floor(minute / 10) + 1 && (await tasks.backlog('account-erasures')).delayed === 1);
      now += 60_000;
    }
    expect([work.refusals, await deletionOf()]).toEqual([3, expect.not.objectContaining({ isTaskOutdated: true })]);
  });

  it('leaves the account open when the process is killed right after it was withdrawn', async () => {
    await deletions.request(accountId);
    const withdraw = accounts.withdrawDeletion.bind(accounts);
    jest.spyOn(accounts, 'withdrawDeletion').mockImplementation(async (id, by) => {
      await withdraw(id, by);
      throw new Error('the process was killed');
    });
    await expect(deletions.withdraw(accountId)).rejects.toThrow('killed');
    expect([await deletionOf(), [...work.closed]]).toEqual([undefined, []]);
  });

  it('opens an account again that was closed while its deletion was withdrawn', async () => {
    const { deletion } = await deletions.request(accountId);
    await deletions.withdraw(accountId);
    work.closed.add(accountId);
    expect(await perform(deletion?.erasureId ?? '')).toBeUndefined();
    expect([...work.closed]).toEqual([]);
  });

  it('ends no access while a legal hold keeps the account, and looks again every ten minutes', async () => {
    const { deletion } = await deletions.request(accountId);
    const erasureId = deletion?.erasureId ?? '';
    const begin = jest.spyOn(accounts, 'beginErasure');
    work.isHeld = true;
    now += 31 * DAY_MS;
    expect(await perform(erasureId)).toEqual({ again: new Date(now + 10 * 60_000), hasProgressed: true });
    expect([begin.mock.calls, await deletionOf()]).toEqual([[], deletion]);
    work.isHeld = false;
    await perform(erasureId);
    expect((await deletionOf())?.erasingSince).toBeDefined();
  });

  it('is not given up in an outage, however long it is, and is completed afterwards', async () => {
    const { deletion } = await deletions.request(accountId);
    const erasureId = deletion?.erasureId ?? '';
    now += 31 * DAY_MS;
    for (let tries = 0; tries < 20; tries += 1) {
      work.failure = new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'Ingest is away.' });
      expect(await perform(erasureId)).toEqual({ again: new Date(now + 60_000), hasProgressed: true });
    }
    work.failure = new Error('a defect');
    await expect(perform(erasureId)).rejects.toThrow('a defect');
    await perform(erasureId);
    now += 10_000;
    await perform(erasureId);
    expect(work.completed).toEqual([erasureId]);
  });
});
