import { common, type ingest } from '@parlance/contracts';
import { callUnary, toAppError } from '@parlance/platform';

/** How a job has ended: with this run, billed so much in all its runs; or deleted. */
export type JobEnd = { run: number; billedMilliseconds: number } | 'deleted';

/** Undefined of a job that goes on, or that nobody knows of now. */
export type AskForEnd = (accountId: string, jobId: string) => Promise<JobEnd | undefined>;

const ENDED: readonly common.JobStatus[] = [common.JobStatus.JOB_STATUS_COMPLETED, common.JobStatus.JOB_STATUS_FAILED, common.JobStatus.JOB_STATUS_CANCELED];

/** Asks ingest. */
export const askForEnd =
  (jobs: ingest.JobServiceClient): AskForEnd =>
  async (accountId, jobId) => {
    try {
      const { job } = await callUnary(jobs, jobs.getJob, { accountId, jobId });
      return job && ENDED.includes(job.status) ? { run: job.run, billedMilliseconds: Math.round((job.billedSeconds ?? 0) * 1000) } : undefined;
    } catch (error) {
      return toAppError(error).kind === 'not_found' ? 'deleted' : undefined;
    }
  };
