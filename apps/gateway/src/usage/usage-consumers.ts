import type { Consumer, RetryPolicy } from '@parlance/event-bus';
import type { Quota } from './quota.js';
import type { UsageLedger } from './usage-ledger.js';

/** What was used must not be lost to a database that is away for a while: about four minutes of tries, then a dead letter to replay. */
const PATIENT: RetryPolicy = { maxAttempts: 12, initialDelayMs: 200, maxDelayMs: 30_000 };

/** Writes the ledger. */
export const usageConsumer = (ledger: UsageLedger): Consumer => ({
  group: 'gateway',
  topic: 'parlance.usage.v1',
  retry: PATIENT,
  handlers: { 'usage.recorded': ({ event }) => ledger.record(event.data) },
});

type Ended = { event: { data: { accountId: string; jobId: string; run?: number | undefined; billed: boolean } } };

/** Gives back what a run of a job had set aside that will use no more. Of one that was billed the ledger does, as it takes that in. */
export const releaseHold = (quota: Quota) => async ({ event: { data } }: Ended) => {
  const { accountId, jobId, run = Infinity, billed } = data;
  if (!billed) await quota.release(accountId, { jobId, run });
};
