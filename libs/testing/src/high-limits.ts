/** Tests and measures post more than a caller would; the limits have tests of their own. Rate limits stay on, so that what they cost is measured; of jobs in flight, hundreds are wanted. */
export const HIGH_LIMITS = { RATE_LIMIT_PER_MINUTE: '10000000', ACCOUNT_RATE_LIMIT_PER_MINUTE: '10000000', JOBS_IN_FLIGHT_PER_ACCOUNT: '0', WRONG_KEYS_PER_MINUTE: '10000' } as const;
