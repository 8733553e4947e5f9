import type { ingest } from '@parlance/contracts';
import { AppError, callUnary, type CallContext, type ErrorKind } from '@parlance/platform';
import DataLoader from 'dataloader';

/** Jobs in one call: their requests stay well below the limit of a message. */
const MAX_BATCH = 64;

/** Has ingest make jobs: those asked for in one turn of the event loop by one call, as a call costs more than the job in it. */
export class JobMaker {
  private readonly batches: DataLoader<ingest.JobOrder, ingest.CreatedJob>;

  constructor(jobs: ingest.JobServiceClient) {
    this.batches = new DataLoader<ingest.JobOrder, ingest.CreatedJob>(
      async (orders) => {
        const { outcomes } = await callUnary(jobs, jobs.createJobs, { orders: [...orders] });
        return orders.map((_, index) => resultOf(outcomes[index]));
      },
      { cache: false, maxBatchSize: MAX_BATCH, batchScheduleFn: (send) => setImmediate(send) },
    );
  }

  /** @throws AppError, that of this job alone, or one that says that ingest did not answer. */
  make(job: ingest.CreateJobRequest, { requestId, traceparent }: CallContext): Promise<ingest.CreatedJob> {
    return this.batches.load({ job, requestId, traceparent });
  }
}

function resultOf({ outcome }: ingest.JobOutcome = {}): ingest.CreatedJob | AppError {
  if (outcome?.$case === 'created') return outcome.value;
  if (outcome?.$case === 'error') return new AppError({ ...outcome.value, kind: outcome.value.kind as ErrorKind });
  return new AppError({ kind: 'internal', code: 'internal', message: 'An internal error occurred.' });
}
