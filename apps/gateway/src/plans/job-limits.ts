import type { ingest } from '@parlance/contracts';
import type { PlanLimits } from './plan.js';

/** What ingest is told of an account's plan, where it says anything of jobs. */
export function jobLimits({ jobsInFlight, mediaBytes, mediaSeconds }: PlanLimits): ingest.JobLimits | undefined {
  const says = [jobsInFlight, mediaBytes, mediaSeconds].some((limit) => limit !== undefined);
  return says ? { jobsInFlight, mediaBytes, mediaSeconds } : undefined;
}
