import { Inject, Injectable } from '@nestjs/common';
import type { AccountWorkService } from '@parlance/contracts';
import { toAppError, type Clock } from '@parlance/platform';
import { ACCOUNT_WORK_SERVICE, CLOCK, CONFIG } from '@parlance/runtime';
import type { GatewayConfig } from '../gateway.config.js';
import type { RandomBytes } from '../keys/api-key-format.js';
import { RANDOM_BYTES } from '../keys/random-bytes.js';
import type { Account } from './account.js';
import { newDeletion } from './account-deletion.js';
import { AccountEraser } from './account-eraser.js';
import { Accounts } from './accounts.js';

/** The deletion of an account by its own key: requested, and withdrawn until it is due. */
@Injectable()
export class AccountDeletions {
  constructor(
    @Inject(Accounts) private readonly accounts: Accounts,
    @Inject(AccountEraser) private readonly eraser: Pick<AccountEraser, 'order'>,
    @Inject(ACCOUNT_WORK_SERVICE) private readonly work: Pick<AccountWorkService, 'closeAccount' | 'reopenAccount'>,
    @Inject(RANDOM_BYTES) private readonly random: RandomBytes,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'ACCOUNT_DELETION_DAYS'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** New work is refused from now on, and what runs is canceled. A deletion that was requested before stays as it is. @throws AppError not_found, legal_hold */
  async request(accountId: string): Promise<Account> {
    const deletion = newDeletion(this.random, this.clock.now(), this.config.ACCOUNT_DELETION_DAYS, false);
    const account = await this.accounts.scheduleDeletion(accountId, deletion);
    try {
      await this.work.closeAccount({ accountId });
    } catch (error) {
      const isNew = account.deletion?.erasureId === deletion.erasureId;
      if (isNew && isHeld(error)) await this.withdrawUnlessRefused(accountId);
      throw error;
    }
    await this.eraser.order(account);
    return account;
  }

  /** Without a deletion nothing happens, so that it may be repeated. @throws AppError not_found, invalid_state when an operator requested it */
  async withdraw(accountId: string): Promise<Account> {
    const { deletion } = await this.accounts.require(accountId);
    // Before and after: a process that dies between leaves the account open.
    const isOpened = !deletion?.byOperator && deletion?.erasingSince === undefined;
    if (isOpened) await this.work.reopenAccount({ accountId });
    const account = await this.accounts.withdrawDeletion(accountId, 'holder').catch(async (error: unknown) => {
      if (isOpened && isRefused(error)) await this.closeAgain(accountId);
      throw error;
    });
    await this.work.reopenAccount({ accountId });
    return account;
  }

  /** The deletion stays, so the account is closed as before; a held account stays open. */
  private async closeAgain(accountId: string): Promise<void> {
    await this.work.closeAccount({ accountId }).catch((error: unknown) => {
      if (!isHeld(error)) throw error;
    });
  }

  /** A deletion that an operator requested meanwhile stays, and so does one whose erasure has begun. */
  private async withdrawUnlessRefused(accountId: string): Promise<void> {
    await this.accounts.withdrawDeletion(accountId, 'holder').catch((error: unknown) => {
      if (!isRefused(error)) throw error;
    });
  }
}

const isHeld = (error: unknown): boolean => toAppError(error).code === 'legal_hold';

const isRefused = (error: unknown): boolean => toAppError(error).code === 'invalid_state';
