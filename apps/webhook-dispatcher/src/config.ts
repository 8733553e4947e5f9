import { egressConfig } from '@parlance/egress';
import { integer, integers } from '@parlance/platform';
import { DEFAULT_SCHEDULE_SECONDS } from './deliveries/retry-schedule.js';

/** Settings of the webhook dispatcher. */
export const webhookConfig = {
  ...egressConfig,
  WEBHOOK_TIMEOUT_SECONDS: integer(1, 120).default(15).describe('Seconds a receiver has for its answer to a webhook'),
  WEBHOOK_CONCURRENCY: integer(1, 1000)
    .default(128)
    .describe('Webhook receivers served at once, a quarter of them for one account or one origin; each gets at most two requests at a time. Those that take longer than half a second leave their place to others, and go on beside them, 4096 at most'),
  WEBHOOK_RETRY_SCHEDULE: integers(0, 30 * 24 * 3600)
    .default([...DEFAULT_SCHEDULE_SECONDS])
    .describe('Seconds before each retry of a webhook, commas between'),
  WEBHOOK_EVENT_RETENTION_DAYS: integer(1, 3650).default(30).describe('Days that events can be read again by GET /events, unless their job is erased before'),
} as const;
