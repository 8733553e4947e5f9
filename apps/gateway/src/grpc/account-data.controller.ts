import { Controller, Inject } from '@nestjs/common';
import type { accountData, AccountDataService } from '@parlance/contracts';
import { DOCUMENTS } from '@parlance/runtime';
import type { DocumentDatabase } from '@parlance/storage';
import { AccountExports } from '../account-exports/account-exports.js';
import { BatchRecords } from '../batches/batch-records.js';
import { Idempotency } from '../idempotency/idempotency.js';
import { ApiKeys } from '../keys/api-keys.js';
import { KeyUses } from '../keys/key-uses.js';
import { UploadRecords } from '../uploads/stored/upload-records.js';

/** Counts and erases what the gateway holds of an account beside its jobs, without the account's own record. */
@Controller()
export class AccountDataController implements AccountDataService {
  constructor(
    @Inject(DOCUMENTS) private readonly documents: Pick<DocumentDatabase, 'ofAccounts'>,
    @Inject(ApiKeys) private readonly keys: Pick<ApiKeys, 'allIds'>,
    @Inject(KeyUses) private readonly uses: Pick<KeyUses, 'forget'>,
    @Inject(UploadRecords) private readonly uploads: Pick<UploadRecords, 'removeAll'>,
    @Inject(BatchRecords) private readonly batches: Pick<BatchRecords, 'removeItemsOf'>,
    @Inject(AccountExports) private readonly exports: Pick<AccountExports, 'removeOf'>,
    @Inject(Idempotency) private readonly idempotency: Pick<Idempotency, 'removeOf'>,
  ) {}

  async countAccountData({ accountId }: accountData.CountAccountDataRequest): Promise<accountData.CountAccountDataResponse> {
    return { held: [...(await this.documents.ofAccounts.count(accountId))].map(([what, count]) => ({ what, count })) };
  }

  /** First what is found by way of the account's documents, then these. */
  async eraseAccountData({ accountId }: accountData.EraseAccountDataRequest): Promise<accountData.EraseAccountDataResponse> {
    for (const keyId of await this.keys.allIds(accountId)) await this.uses.forget(keyId);
    await this.uploads.removeAll(accountId);
    await this.batches.removeItemsOf(accountId);
    await this.exports.removeOf(accountId);
    await this.idempotency.removeOf(accountId);
    await this.documents.ofAccounts.remove(accountId);
    return {};
  }
}
