/** What happens once the free seconds are used: nothing new is taken (402), or the account pays for what it uses. */
export const BILLING_MODES = ['stop', 'pay'] as const;
export type BillingMode = (typeof BILLING_MODES)[number];

/** Overrides of the operator's limits for the accounts of a plan; what is left out is as for everybody. */
export interface PlanLimits {
  /** Requests a minute, a key; instead of RATE_LIMIT_PER_MINUTE. */
  requestsPerMinute?: number;
  /** Jobs queued or processing, instead of JOBS_IN_FLIGHT_PER_ACCOUNT; 0 is no limit. */
  jobsInFlight?: number;
  /** Of one recording, instead of MEDIA_MAX_BYTES; */
  mediaBytes?: number;
  /** and instead of MEDIA_MAX_DURATION_SECONDS. */
  mediaSeconds?: number;
}

/** What accounts have together, by the operator's settings. */
export interface Plan {
  name: string;
  /** Seconds of audio that an account of it may have transcribed for nothing, once. */
  freeSeconds: number;
  billing: BillingMode;
  limits: PlanLimits;
}
