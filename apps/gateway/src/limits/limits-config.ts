import { integer, type ConfigOf } from '@parlance/platform';

/** Limits of requests that an operator sets; those of jobs are ingest's. */
export const limitsConfig = {
  RATE_LIMIT_PER_MINUTE: integer(0, 10_000_000).default(600).describe('Requests per minute with one API key, as a token bucket over all replicas; 0: no limit'),
  ACCOUNT_RATE_LIMIT_PER_MINUTE: integer(0, 10_000_000)
    .default(3000)
    .describe('Requests per minute of one account with all of its keys, over all replicas; 0: no limit'),
  STREAMS_PER_KEY: integer(0, 100_000).default(100).describe('Event streams, chat answers, long polls and sockets that one API key may have open at once in a process; 0: no limit'),
  STREAMS_PER_ACCOUNT: integer(0, 100_000).default(500).describe('Event streams, chat answers, long polls and sockets that one account may have open at once in a process, with all of its keys; 0: no limit'),
  JSON_BODY_MAX_BYTES: integer(1024, 4 * 1024 * 1024)
    .default(1024 * 1024)
    .describe('Largest JSON body that is accepted, and largest form without the content of its file, in bytes (1 MB)'),
} as const;

export type LimitsConfig = ConfigOf<typeof limitsConfig>;
