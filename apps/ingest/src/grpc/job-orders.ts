import { ingest } from '@parlance/contracts';
import { continueTrace, inSpan, startSpan, type Logger, type Span, type SpanOptions } from '@parlance/platform';
import type { JobRequests } from '../jobs/job-requests.js';
import type { Job } from '../jobs/state/job.js';
import type { NewJob } from '../jobs/state/new-job.js';
import { outcomeOf } from './job-outcome.js';
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
