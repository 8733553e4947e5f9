import type { ErasedAccount } from '../../accounts/account-erasure.js';

/** The facts that are needed to erase a job again after a restore. They name no content. */
export interface ErasedJob {
  jobId: string;
  accountId: string;
  /** RFC 3339 UTC. */
  erasedAt: string;
}

/** A job, or an account with all of its jobs. */
export type Erased = ErasedJob | ErasedAccount;

export const isErasedAccount = (erased: Erased): erased is ErasedAccount => 'accountErasureId' in erased;
