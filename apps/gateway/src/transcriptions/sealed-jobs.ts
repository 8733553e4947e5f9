import type { ingest } from '@parlance/contracts';
import { AppError } from '@parlance/platform';

/** True for a job whose text and recording this server does not show. */
export const isSealed = ({ options }: Pick<ingest.Job, 'options'>): boolean => options?.resultKey !== undefined;

/** @returns the job. @throws AppError sealed */
export function requireClear(job: ingest.Job): ingest.Job {
  if (isSealed(job)) throw new AppError({ code: 'sealed', message: 'The job has a result_key: read its sealed results. Its text and recording are not given in clear.' });
  return job;
}
