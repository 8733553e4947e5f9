import type { ingest } from '@parlance/contracts';

/** The behaviour once the free seconds are used: new jobs are refused (402), or the account pays for its usage. */
export const BILLING_MODES = ['stop', 'pay'] as const;
export type BillingMode = (typeof BILLING_MODES)[number];

/** Overrides of the operator's limits for the accounts of a plan; what is left out is as for everybody. */
export interface PlanLimits {
  /** Requests a minute, a key; instead of RATE_LIMIT_PER_MINUTE. */
  requestsPerMinute?: number;
  /** Jobs queued or processing, instead of JOBS_IN_FLIGHT_PER_ACCOUNT; 0 is no limit. */
  jobsInFlight?: number;
  /** Answers held open at once in a process, instead of STREAMS_PER_ACCOUNT; 0 is no limit. */
  streams?: number;
  /** Live sessions open at once, instead of LIVE_SESSIONS_PER_ACCOUNT; 0 is no limit. */
  liveSessions?: number;
  /** Bytes of one recording, instead of MEDIA_MAX_BYTES. */
  mediaBytes?: number;
  /** Seconds of one recording, instead of MEDIA_MAX_DURATION_SECONDS. */
  mediaSeconds?: number;
  /** Bytes of media files that may be stored at a time, instead of STORAGE_BYTES_PER_ACCOUNT; 0 is no limit. */
  storageBytes?: number;
  retention?: Retention;
}

/** Hours that jobs and their media are kept. A missing value is taken from the next level: the account, its plan, then the settings. */
export interface Retention {
  /** Hours for a job that does not request a retention. */
  defaultHours?: number;
  /** The maximum that a job can request, and the retention of a job without a request. */
  maxHours?: number;
  /** Hours for the media of a job that does not request a retention; the transcript stays. */
  mediaHours?: number;
}

/** The limits and the billing of the accounts that have this plan, as the operator configures them. */
export interface Plan {
  name: string;
  /** Seconds of audio that an account of it may have transcribed for nothing, once. */
  freeSeconds: number;
  billing: BillingMode;
  limits: PlanLimits;
}

/** The limits of an account's plan that ingest applies to jobs. */
export function jobLimits({ jobsInFlight, mediaBytes, mediaSeconds }: PlanLimits): ingest.JobLimits | undefined {
  const says = [jobsInFlight, mediaBytes, mediaSeconds].some((limit) => limit !== undefined);
  return says ? { jobsInFlight, mediaBytes, mediaSeconds } : undefined;
}
