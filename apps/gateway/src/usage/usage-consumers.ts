import { PATIENT_RETRY, type Consumer } from '@parlance/event-bus';
import type { Quota } from './quota.js';
import type { UsageLedger } from './usage-ledger.js';

/** Writes the ledger. What could not be written in all its tries is a dead letter to replay. */
export const usageConsumer = (ledger: UsageLedger): Consumer => ({
  group: 'gateway',
  topic: 'parlance.usage.v1',
  retry: PATIENT_RETRY,
  handlers: { 'usage.recorded': ({ event }) => ledger.record(event.data) },
});

type Ended = { event: { data: { accountId: string; jobId: string; run?: number | undefined; billed: boolean } } };

/** Gives back what a run of a job had set aside that will use no more. Of one that was billed the ledger does, as it takes that in. */
export const releaseHold = (quota: Quota) => async ({ event: { data } }: Ended) => {
  const { accountId, jobId, run = Infinity, billed } = data;
  if (!billed) await quota.release(accountId, { jobId, run });
};
