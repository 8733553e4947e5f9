import { integer, type ConfigOf } from '@parlance/platform';

/** Limits of requests that an operator sets; those of jobs are ingest's. */
export const limitsConfig = {
  RATE_LIMIT_PER_MINUTE: integer(0, 10_000_000).default(600).describe('Requests a minute with one API key, as a token bucket over all replicas; 0: no limit'),
  ACCOUNT_RATE_LIMIT_PER_MINUTE: integer(0, 10_000_000)
    .default(3000)
    .describe('Requests a minute of one account with all of its keys, over all replicas; 0: no limit'),
  JSON_BODY_MAX_BYTES: integer(1024, 4 * 1024 * 1024)
    .default(1024 * 1024)
    .describe('Largest JSON body that is taken, bytes (1 MB)'),
} as const;

export type LimitsConfig = ConfigOf<typeof limitsConfig>;
