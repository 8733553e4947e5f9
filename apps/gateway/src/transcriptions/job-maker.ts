import { Inject, Injectable } from '@nestjs/common';
import type { ingest, JobService } from '@parlance/contracts';
import { AppError, currentTraceparent, receivedError, toAppError, type ErrorKind } from '@parlance/platform';
import { JOB_SERVICE } from '@parlance/runtime';
import DataLoader from 'dataloader';

/** The maximum number of jobs in one call. */
const MAX_BATCH = 64;
/** The maximum bytes of jobs in one call, a quarter of the limit of a message; a single job has half a megabyte at most. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;

/** Has ingest make jobs: those asked for in one turn of the event loop by one call, as a call costs more than the job in it. */
@Injectable()
export class JobMaker {
  private readonly batches: DataLoader<ingest.JobOrder, ingest.CreatedJob>;

  constructor(@Inject(JOB_SERVICE) private readonly jobs: JobService) {
    this.batches = new DataLoader<ingest.JobOrder, ingest.CreatedJob>(
      async (orders) => (await Promise.all(callsOf(orders).map((call) => this.send(call)))).flat(),
      { cache: false, maxBatchSize: MAX_BATCH, batchScheduleFn: (send) => setImmediate(send) },
    );
  }

  /** @throws AppError, that of this job alone, or one that says that ingest did not answer. */
  make(job: ingest.CreateJobRequest, requestId?: string): Promise<ingest.CreatedJob> {
    return this.batches.load({ job, requestId, traceparent: currentTraceparent() });
  }

  private async send(orders: ingest.JobOrder[]): Promise<(ingest.CreatedJob | AppError)[]> {
    try {
      const { outcomes } = await this.jobs.createJobs({ orders });
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

/** The maximum characters of a job besides its vocabulary, its spellings and its template: URLs, ids, metadata, names. The API accepts 15,600. */
const MAX_CHARACTERS = 18_000;

/** As many as its message can have: a UTF-16 unit has three in UTF-8 at most. */
function mostBytes({ job }: ingest.JobOrder): number {
  const { vocabulary = [], spelling, summary } = job?.options ?? {};
  let characters = MAX_CHARACTERS + (summary?.template?.length ?? 0);
  for (const term of vocabulary) characters += term.length + 1;
  for (const { from, to } of spelling?.replace ?? []) characters += from.length + to.length + 4;
  for (const word of [...(spelling?.filters?.profanityWords ?? []), ...(spelling?.filters?.fillerWords ?? [])]) characters += word.length + 1;
  return 3 * characters;
}

function resultOf({ outcome }: ingest.JobOutcome = {}): ingest.CreatedJob | AppError {
  if (outcome?.$case === 'created') return outcome.value;
  if (outcome?.$case === 'error') return receivedError({ ...outcome.value, kind: outcome.value.kind as ErrorKind });
  return new AppError({ kind: 'internal', code: 'internal', message: 'An internal error occurred.' });
}
