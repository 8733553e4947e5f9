import { common, type JobService } from '@parlance/contracts';
import { toAppError } from '@parlance/platform';

/** The end of a job: its last run, with the milliseconds billed in all runs; or deleted. */
export type JobEnd = { run: number; billedMilliseconds: number } | 'deleted';

/** Undefined for a job that is still running, or when its state is unknown. */
export type AskForEnd = (accountId: string, jobId: string) => Promise<JobEnd | undefined>;

const ENDED: readonly common.JobStatus[] = [common.JobStatus.JOB_STATUS_COMPLETED, common.JobStatus.JOB_STATUS_FAILED, common.JobStatus.JOB_STATUS_CANCELED];

/** Asks ingest. */
export const askForEnd =
  (jobs: JobService): AskForEnd =>
  async (accountId, jobId) => {
    try {
      const { job } = await jobs.getJob({ accountId, jobId });
      return job && ENDED.includes(job.status) ? { run: job.run, billedMilliseconds: Math.round((job.billedSeconds ?? 0) * 1000) } : undefined;
    } catch (error) {
      return toAppError(error).kind === 'not_found' ? 'deleted' : undefined;
    }
  };
