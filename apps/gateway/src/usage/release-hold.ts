import type { Quota } from './quota.js';

interface EndedJob {
  event: { data: { accountId: string; jobId: string; run?: number | undefined; billed: boolean } };
}

/** Releases what a run of a job had reserved and will not use. For a billed run, the ledger does that when it records the usage. */
export const releaseHold = (quota: Quota) => async ({ event: { data } }: EndedJob) => {
  const { accountId, jobId, run = Infinity, billed } = data;
  if (!billed) await quota.release(accountId, { jobId, run });
};
