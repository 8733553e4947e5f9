import { z } from 'zod';
import { egressConfig } from '@parlance/egress';
import { integer, list } from '@parlance/platform';
import { DEFAULT_SCHEDULE_SECONDS } from './deliveries/retry-schedule.js';

/** Settings of the webhook dispatcher. */
export const webhookConfig = {
  ...egressConfig,
  WEBHOOK_TIMEOUT_SECONDS: integer(1, 120).default(15).describe('Seconds a receiver has for its answer to a webhook'),
  WEBHOOK_CONCURRENCY: integer(1, 1000).default(32).describe('Webhook receivers served at once; each gets at most two requests at a time'),
  WEBHOOK_RETRY_SCHEDULE: list()
    .pipe(z.array(integer(0, 30 * 24 * 3600)))
    .default([...DEFAULT_SCHEDULE_SECONDS])
    .describe('Seconds before each retry of a webhook, commas between'),
} as const;
