import type { AccountService } from '@parlance/contracts';
import type { Logger } from '@parlance/platform';

const ANSWER_MS = 2000;

/** Bytes of media that the account may still store. @returns undefined without a limit, or when the sum is not known now */
export type StorageLeft = (accountId: string) => Promise<number | undefined>;

/** Asks the gateway, which keeps the plans. While it is away media are fetched: the limit of a file still holds. */
export function askStorageLeft(accounts: AccountService, log: Logger): StorageLeft {
  return async (accountId) => {
    try {
      return (await accounts.getStorageLeft({ accountId }, { timeoutMs: ANSWER_MS })).bytes;
    } catch (error) {
      log.warn({ err: error, account_id: accountId }, 'the gateway did not answer how much the account may store; its media is downloaded');
      return undefined;
    }
  };
}
