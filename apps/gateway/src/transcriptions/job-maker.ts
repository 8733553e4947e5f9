import type { ingest } from '@parlance/contracts';
import { AppError, callUnary, currentTraceparent, toAppError, type CallContext, type ErrorKind } from '@parlance/platform';
import DataLoader from 'dataloader';

/** Jobs in one call, */
const MAX_BATCH = 64;
/** and bytes of them, a quarter of what a message may have; a job alone has half a megabyte at most. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;

/** Has ingest make jobs: those asked for in one turn of the event loop by one call, as a call costs more than the job in it. */
export class JobMaker {
  private readonly batches: DataLoader<ingest.JobOrder, ingest.CreatedJob>;

  constructor(private readonly jobs: ingest.JobServiceClient) {
    this.batches = new DataLoader<ingest.JobOrder, ingest.CreatedJob>(
      async (orders) => (await Promise.all(callsOf(orders).map((call) => this.send(call)))).flat(),
      { cache: false, maxBatchSize: MAX_BATCH, batchScheduleFn: (send) => setImmediate(send) },
    );
  }

  /** @throws AppError, that of this job alone, or one that says that ingest did not answer. */
  make(job: ingest.CreateJobRequest, { requestId }: CallContext): Promise<ingest.CreatedJob> {
    return this.batches.load({ job, requestId, traceparent: currentTraceparent() });
  }

  private async send(orders: ingest.JobOrder[]): Promise<(ingest.CreatedJob | AppError)[]> {
    try {
      const { outcomes } = await callUnary(this.jobs, this.jobs.createJobs, { orders });
      return orders.map((_, index) => resultOf(outcomes[index]));
    } catch (error) {
      return orders.map(() => toAppError(error));
    }
  }
}

/** In order, each within the bytes of a call. */
function callsOf(orders: readonly ingest.JobOrder[]): ingest.JobOrder[][] {
  const calls: ingest.JobOrder[][] = [];
  let bytes = Infinity;
  for (const order of orders) {
    const size = mostBytes(order);
    if (bytes + size > MAX_BATCH_BYTES) {
      calls.push([]);
      bytes = 0;
    }
    calls.at(-1)?.push(order);
    bytes += size;
  }
  return calls;
}

/** Of all that a job has besides its vocabulary and its template: addresses, ids, metadata. The API takes 14,000. */
const MOST_CHARACTERS = 16_000;

/** As many as its message can have: a UTF-16 unit has three in UTF-8 at most. */
function mostBytes({ job }: ingest.JobOrder): number {
  const { vocabulary = [], summary } = job?.options ?? {};
  let characters = MOST_CHARACTERS + (summary?.template?.length ?? 0);
  for (const term of vocabulary) characters += term.length + 1;
  return 3 * characters;
}

function resultOf({ outcome }: ingest.JobOutcome = {}): ingest.CreatedJob | AppError {
  if (outcome?.$case === 'created') return outcome.value;
  if (outcome?.$case === 'error') return new AppError({ ...outcome.value, kind: outcome.value.kind as ErrorKind });
  return new AppError({ kind: 'internal', code: 'internal', message: 'An internal error occurred.' });
}
