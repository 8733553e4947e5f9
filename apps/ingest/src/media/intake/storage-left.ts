import { Inject, Injectable } from '@nestjs/common';
import type { AccountService } from '@parlance/contracts';
import type { Logger } from '@parlance/platform';
import { ACCOUNT_SERVICE, LOGGER } from '@parlance/runtime';

const TIMEOUT_MS = 2000;

/** Reads from the gateway, which keeps the plans, how much an account may store. */
@Injectable()
export class StorageLeft {
  constructor(
    @Inject(ACCOUNT_SERVICE) private readonly accounts: Pick<AccountService, 'getStorageLeft'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @returns bytes of media that the account may still store; undefined without a limit, and while the gateway does not answer: the limit of a file still holds */
  async bytes(accountId: string): Promise<number | undefined> {
    try {
      return (await this.accounts.getStorageLeft({ accountId }, { timeoutMs: TIMEOUT_MS })).bytes;
    } catch (error) {
      this.log.warn({ err: error, account_id: accountId }, 'the gateway did not answer how much the account may store; its media is downloaded');
      return undefined;
    }
  }
}
