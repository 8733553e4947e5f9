import { ingest } from '@parlance/contracts';
import { continueTrace, inSpan, startSpan, toAppError, type Logger, type Span, type SpanOptions } from '@parlance/platform';
import type { JobRequests } from '../jobs/job-requests.js';
import type { Job } from '../jobs/state/job.js';
import type { NewJob } from '../jobs/state/new-job.js';
import { newJob } from './job-request.js';

/** Makes the jobs of one call together; each has an outcome of its own. */
export async function makeJobs(orders: readonly ingest.JobOrder[], requests: JobRequests, log: Logger): Promise<ingest.JobOutcome[]> {
  const begun = orders.map((order) => ({ order, span: startSpan('create job', spanOf(order)) }));
  const made = await requests.createAll(begun.map(({ order, span }) => () => orderedJob(order, span)));
  begun.forEach(({ span }, index) => {
    const each = made[index];
    span.end(each?.status === 'rejected' ? each.reason : undefined);
  });
  return made.map((each) => outcomeOf(each, log));
}

/** Makes one. @throws AppError, as `JobRequests.create`; invalid_request */
export const makeJob = (order: ingest.JobOrder, requests: JobRequests): Promise<Job> =>
  inSpan('create job', spanOf(order), async (span) => requests.create(orderedJob(order, span)));

/** Orders of several requests come in one call: each continues its own trace. */
const spanOf = ({ job, traceparent }: ingest.JobOrder): SpanOptions => ({ parent: continueTrace(traceparent) ?? 'none', attributes: { 'parlance.job_id': job?.jobId } });

/** @throws AppError invalid_request */
const orderedJob = ({ job }: ingest.JobOrder, { traceparent }: Span): NewJob => ({ ...newJob(job ?? ingest.CreateJobRequest.fromPartial({})), traceparent });

/** Returns the outcome of one job of several. An unexpected error is logged with its cause, as for a single call. */
function outcomeOf(made: PromiseSettledResult<Job>, log: Logger): ingest.JobOutcome {
  if (made.status === 'fulfilled') {
    const { id: jobId, createdAt } = made.value;
    return { outcome: { $case: 'created', value: { jobId, createdAt: new Date(createdAt) } } };
  }
  const error = toAppError(made.reason);
  if (error.kind === 'internal') log.error({ err: error.cause ?? error }, 'making a job failed');
  const { kind, code, message, retryable, retryAfter } = error;
  return { outcome: { $case: 'error', value: { kind, code, message, retryable, retryAfter } } };
}
