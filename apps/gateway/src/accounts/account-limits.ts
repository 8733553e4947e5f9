import { Inject, Injectable } from '@nestjs/common';
import type { SearchService, TranscriptService } from '@parlance/contracts';
import type { Logger } from '@parlance/platform';
import { LOGGER, SEARCH_SERVICE, TRANSCRIPT_SERVICE } from '@parlance/runtime';
import { BatchRecords } from '../batches/batch-records.js';
import { AccessTokens } from '../keys/access-tokens.js';
import { Projects } from '../projects/projects.js';
import { UploadRecords } from '../uploads/stored/upload-records.js';
import { Vocabularies } from '../vocabularies/vocabularies.js';
import type { AccountLimit } from './account-limit.js';

/** The limits of an account for data beside its media, by the names of the API. */
@Injectable()
export class AccountLimits {
  private readonly own: Limits;
  private readonly ofOthers: Limits;

  constructor(
    @Inject(Projects) projects: Pick<Projects, 'limitOf'>,
    @Inject(Vocabularies) vocabularies: Pick<Vocabularies, 'limitOf'>,
    @Inject(AccessTokens) tokens: Pick<AccessTokens, 'limitOf'>,
    @Inject(UploadRecords) uploads: Pick<UploadRecords, 'limitOf'>,
    @Inject(BatchRecords) batches: Pick<BatchRecords, 'limitOf'>,
    @Inject(TRANSCRIPT_SERVICE) transcripts: Pick<TranscriptService, 'getRevisionStorage'>,
    @Inject(SEARCH_SERVICE) search: Pick<SearchService, 'getConversationStorage'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.own = {
      projects: (accountId) => projects.limitOf(accountId),
      vocabularies: (accountId) => vocabularies.limitOf(accountId),
      tokens: (accountId) => tokens.limitOf(accountId),
      unfinished_uploads: (accountId) => uploads.limitOf(accountId),
      batch_bytes: (accountId) => batches.limitOf(accountId),
    };
    this.ofOthers = {
      revision_bytes: async (accountId) => inBytes(await transcripts.getRevisionStorage({ accountId })),
      conversation_bytes: async (accountId) => inBytes(await search.getConversationStorage({ accountId })),
    };
  }

  /** Without those of another service that does not answer. */
  async of(accountId: string): Promise<NamedLimit[]> {
    const own = Object.entries(this.own).map(async ([name, limitOf]) => [{ name, ...(await limitOf(accountId)) }]);
    const ofOthers = Object.entries(this.ofOthers).map(([name, limitOf]) =>
      limitOf(accountId).then((limit) => [{ name, ...limit }], (error: unknown) => this.without(name, error)));
    return (await Promise.all([...own, ...ofOthers])).flat();
  }

  private without(name: string, error: unknown): NamedLimit[] {
    this.log.warn({ limit: name, err: error }, 'limit not known');
    return [];
  }
}

type Limits = Readonly<Record<string, (accountId: string) => Promise<AccountLimit>>>;
type NamedLimit = AccountLimit & { name: string };

const inBytes = ({ usedBytes, limitBytes }: { usedBytes: number; limitBytes: number }): AccountLimit => ({ used: usedBytes, limit: limitBytes });
