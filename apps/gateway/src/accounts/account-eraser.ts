import { Inject, Injectable } from '@nestjs/common';
import type { accountWork, AccountDataService, AccountWorkService } from '@parlance/contracts';
import { isWaitedFor, toAppError, type Clock, type Logger } from '@parlance/platform';
import { ACCOUNT_WORK_SERVICE, CLOCK, LOGGER, MEDIA_STORE, SEARCH_DATA_SERVICE, TASK_QUEUE, WEBHOOK_DATA_SERVICE } from '@parlance/runtime';
import type { MediaStore } from '@parlance/storage';
import type { Again, Task, TaskContext, TaskQueue, TaskWorker } from '@parlance/task-queue';
import type { Account } from './account.js';
import type { AccountDeletion } from './account-deletion.js';
import { AccountDataController } from '../grpc/account-data.controller.js';
import { Accounts } from './accounts.js';

const QUEUE = 'account-erasures';
const RETRY = { maxAttempts: Infinity, initialDelayMs: 1000, maxDelayMs: 60_000 };
const DEADLINE_MS = 60 * 60_000;
/** Milliseconds after which every process refuses the keys of the account: they are remembered for four seconds. */
const KEYS_END_MS = 6000;
/** Milliseconds between two looks at the erasures of the account's jobs. */
const AGAIN_MS = 1000;
/** Milliseconds until an account under a legal hold is looked at again. */
const HELD_AGAIN_MS = 10 * 60_000;
/** Milliseconds between two tries in an outage. */
const OUTAGE_AGAIN_MS = 60_000;

/**
 * Erases accounts whose deletion is due, in steps that may be repeated: killed at any point, the next try continues. Nothing is
 * removed before what is there is counted on the receipt, and the receipt is complete only when nothing is left.
 */
@Injectable()
export class AccountEraser {
  /** The services that hold something of an account beside its jobs. */
  private readonly holders: readonly (readonly [where: string, service: AccountDataService])[];

  constructor(
    @Inject(Accounts) private readonly accounts: Accounts,
    @Inject(ACCOUNT_WORK_SERVICE) private readonly work: AccountWorkService,
    @Inject(AccountDataController) own: AccountDataService,
    @Inject(SEARCH_DATA_SERVICE) search: AccountDataService,
    @Inject(WEBHOOK_DATA_SERVICE) webhooks: AccountDataService,
    @Inject(MEDIA_STORE) private readonly media: Pick<MediaStore, 'removePrefix'>,
    @Inject(TASK_QUEUE) private readonly tasks: Pick<TaskQueue, 'add' | 'wake'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.holders = [['gateway', own], ['search', search], ['webhook-dispatcher', webhooks]];
  }

  /** Resolves once the erasure is durably ordered. Its task closes the account at once, and then waits for its time. */
  async order({ id: accountId, deletion }: Pick<Account, 'id' | 'deletion'>): Promise<void> {
    if (deletion) await this.tasks.add(QUEUE, [{ id: deletion.erasureId, accountId, payload: null }]);
  }

  /** Orders what has no task: deletions that an operator requested, and those of killed calls. Wakes a task once when an operator changed its time; a later wake would cut its waits for a hold or an outage short. */
  async sweep(): Promise<void> {
    for await (const account of this.accounts.withDeletion()) {
      await this.order(account);
      if (account.deletion?.isTaskOutdated && account.deletion.erasingSince === undefined) await this.updateTask(account.id, account.deletion);
    }
  }

  worker(): TaskWorker {
    return { queue: QUEUE, capacity: 2, deadlineMs: DEADLINE_MS, retry: RETRY, maxTakeOvers: Infinity, perform: (task, context) => this.perform(task, context).catch((error: unknown) => this.unlessOutage(error, task, context)) };
  }

  /** The task closes the account again, and waits for the new time. The mark is removed last: a wake may be repeated, and none is lost. */
  private async updateTask(accountId: string, deletion: AccountDeletion): Promise<void> {
    await this.tasks.wake(QUEUE, [{ id: deletion.erasureId, accountId, payload: null }]);
    await this.accounts.taskUpdated(accountId, deletion);
  }

  private async perform({ id: erasureId, accountId }: Task, { signal, draining }: TaskContext): Promise<Again | void> {
    const account = await this.accounts.get(accountId);
    if (account && account.deletion?.erasureId !== erasureId) return this.reopenUnlessDeleted(account);
    if (account?.deletion && account.deletion.dueAt > this.now()) return this.close(accountId, account.deletion.dueAt);
    const wait = account && (await this.begin(account, erasureId));
    if (wait) return wait;
    draining.throwIfAborted();
    const { left } = await this.work.eraseAccountJobs({ accountId });
    if (left > 0) return this.again(AGAIN_MS, true);
    await this.eraseHoldings(accountId, signal);
    if ((await this.count(accountId)).length > 0) return this.again(AGAIN_MS, true);
    await this.accounts.remove(accountId);
    await this.complete(accountId, erasureId);
  }

  /** An outage is waited for without end: nothing but this task completes the erasure. */
  private unlessOutage(error: unknown, { accountId }: Task, { signal, draining }: TaskContext): Again {
    if (!isWaitedFor(error) || signal.aborted || draining.aborted) throw error;
    this.log.warn({ err: error, account_id: accountId }, 'the erasure of an account waits until an outage is over');
    return this.again(OUTAGE_AGAIN_MS, true);
  }

  /** Also where the process died between a withdrawal and its end. */
  private async reopenUnlessDeleted({ id: accountId, deletion }: Account): Promise<void> {
    if (!deletion) await this.work.reopenAccount({ accountId });
  }

  /** Also where the process died between the request and this. A withdrawal at the same time wins. */
  private async close(accountId: string, dueAt: string): Promise<Again> {
    await this.closeUnlessHeld(accountId);
    if (!(await this.accounts.get(accountId))?.deletion) await this.work.reopenAccount({ accountId });
    return { again: new Date(dueAt), hasProgressed: true };
  }

  /** Ends the access to the account and opens the receipt. @returns when to go on; undefined: now */
  private async begin({ id: accountId, deletion: due }: Account, erasureId: string): Promise<Again | undefined> {
    // Before its access ends, which it keeps under a hold.
    if (due?.erasingSince === undefined && !(await this.closeUnlessHeld(accountId))) return this.again(HELD_AGAIN_MS, true);
    const { deletion } = await this.accounts.beginErasure(accountId);
    // Withdrawn meanwhile: the next look reopens the account.
    if (deletion?.erasingSince === undefined) return this.again(AGAIN_MS, true);
    const items = await this.count(accountId);
    try {
      await this.work.beginAccountErasure({ erasureId, accountId, requestedAt: new Date(deletion.requestedAt), items });
    } catch (error) {
      if (toAppError(error).code !== 'legal_hold') throw error;
      await this.accounts.suspendErasure(accountId);
      return this.again(HELD_AGAIN_MS, true);
    }
    const keysEnd = Date.parse(deletion.erasingSince) + KEYS_END_MS;
    return this.clock.now().getTime() < keysEnd ? { again: new Date(keysEnd), hasProgressed: true } : undefined;
  }

  /** Closes the account for new work. @returns false when a legal hold keeps it, or something of it */
  private async closeUnlessHeld(accountId: string): Promise<boolean> {
    try {
      await this.work.closeAccount({ accountId });
      return true;
    } catch (error) {
      if (toAppError(error).code !== 'legal_hold') throw error;
      return false;
    }
  }

  private async count(accountId: string): Promise<accountWork.AccountErasureItem[]> {
    const held = await Promise.all(this.holders.map(async ([where, service]) => (await service.countAccountData({ accountId })).held.map(({ what, count }) => ({ what, where, count }))));
    return held.flat();
  }

  /** The media last: whatever a killed upload left is below the account as well. */
  private async eraseHoldings(accountId: string, signal: AbortSignal): Promise<void> {
    for (const [, service] of this.holders) {
      signal.throwIfAborted();
      await service.eraseAccountData({ accountId });
    }
    await this.media.removePrefix(`${accountId}/`);
  }

  private async complete(accountId: string, erasureId: string): Promise<void> {
    try {
      await this.work.completeAccountErasure({ erasureId });
      this.log.info({ account_id: accountId, erasure_id: erasureId }, 'account erased');
    } catch (error) {
      // The task of an account that is gone, and whose erasure never began.
      if (toAppError(error).kind !== 'not_found') throw error;
    }
  }

  private again(ms: number, hasProgressed: boolean): Again {
    return { again: new Date(this.clock.now().getTime() + ms), hasProgressed };
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}
