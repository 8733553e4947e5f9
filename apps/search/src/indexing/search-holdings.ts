import { Inject, Injectable } from '@nestjs/common';
import type { SearchIndex } from '@parlance/search-index';
import type { Holdings, JobRef } from '@parlance/stage';
import { Conversations } from '../chat/conversations.js';
import { SEARCH_INDEX } from '../searching/search-index.provider.js';
import { SearchLedger } from './search-ledger.js';

/** Counts and removes what an erasure takes: passages, and conversations, whose answers hold words of the transcript as well. */
@Injectable()
export class SearchHoldings implements Holdings {
  readonly what = 'index_entries';
  readonly where = 'search';

  constructor(
    @Inject(SearchLedger) private readonly ledger: SearchLedger,
    @Inject(Conversations) private readonly conversations: Conversations,
    @Inject(SEARCH_INDEX) private readonly index: SearchIndex,
  ) {}

  async count({ jobId }: JobRef): Promise<number> {
    return ((await this.ledger.get(jobId))?.passages ?? 0) + (await this.conversations.countOfJob(jobId));
  }

  async remove({ jobId, accountId }: JobRef): Promise<void> {
    await this.conversations.removeOfJob(jobId);
    await this.index.deleteJob(accountId, jobId);
  }
}
