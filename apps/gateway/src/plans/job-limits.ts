import type { ingest } from '@parlance/contracts';
import type { PlanLimits } from './plan.js';

/** The limits of an account's plan that ingest applies to jobs. */
export function jobLimits({ jobsInFlight, mediaBytes, mediaSeconds }: PlanLimits): ingest.JobLimits | undefined {
  const says = [jobsInFlight, mediaBytes, mediaSeconds].some((limit) => limit !== undefined);
  return says ? { jobsInFlight, mediaBytes, mediaSeconds } : undefined;
}
