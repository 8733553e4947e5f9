import { Controller, Inject } from '@nestjs/common';
import type { accountData, AccountDataService } from '@parlance/contracts';
import { DOCUMENTS } from '@parlance/runtime';
import type { DocumentDatabase } from '@parlance/storage';
import { Conversations } from '../chat/conversations.js';

/** Counts and erases what search holds of an account beside its jobs: conversations. */
@Controller()
export class AccountDataController implements AccountDataService {
  constructor(
    @Inject(DOCUMENTS) private readonly documents: Pick<DocumentDatabase, 'ofAccounts'>,
    @Inject(Conversations) private readonly conversations: Pick<Conversations, 'removeSourcesOf'>,
  ) {}

  async countAccountData({ accountId }: accountData.CountAccountDataRequest): Promise<accountData.CountAccountDataResponse> {
    return { held: [...(await this.documents.ofAccounts.count(accountId))].map(([what, count]) => ({ what, count })) };
  }

  /** The sources first: nothing leads to them without their conversation. */
  async eraseAccountData({ accountId }: accountData.EraseAccountDataRequest): Promise<accountData.EraseAccountDataResponse> {
    await this.conversations.removeSourcesOf(accountId);
    await this.documents.ofAccounts.remove(accountId);
    return {};
  }
}
