import { Inject, Injectable } from '@nestjs/common';
import { egressConfig } from '@parlance/egress';
import { integer, integers, SecretBox, secretsConfig, type ConfigOf } from '@parlance/platform';
import { CONFIG } from '@parlance/runtime';
import { DEFAULT_SCHEDULE_SECONDS } from './deliveries/retry-schedule.js';

/** Settings of the webhook dispatcher. */
export const webhookConfig = {
  ...egressConfig,
  ...secretsConfig,
  WEBHOOK_TIMEOUT_SECONDS: integer(1, 120).default(15).describe('Seconds within which a receiver must answer a webhook'),
  WEBHOOK_CONCURRENCY: integer(1, 1000)
    .default(128)
    .describe('Webhook receivers served at the same time, at most a quarter of them of one account or one origin; each gets at most two requests at a time. A receiver that takes longer than half a second gives its slot to another and continues beside it, 4096 at most'),
  WEBHOOK_RETRY_SCHEDULE: integers(0, 30 * 24 * 3600)
    .default([...DEFAULT_SCHEDULE_SECONDS])
    .describe('Seconds before each retry of a webhook, comma-separated'),
  WEBHOOK_EVENT_RETENTION_DAYS: integer(1, 3650).default(30).describe('Days for which events can be read again by GET /events, unless their job is erased earlier'),
} as const;

export type WebhookDispatcherConfig = ConfigOf<typeof webhookConfig>;

/** The settings in the units that the code needs. */
@Injectable()
export class DispatcherSettings {
  /** For connection and answer of one request together. */
  readonly timeoutMs: number;
  /** Seconds before the second, third, … attempt. */
  readonly scheduleSeconds: readonly number[];
  /** Receivers served at once, beside the slow ones. */
  readonly concurrency: number;
  /** A receiver that takes longer is slow: it leaves its place to another, and continues beside it. */
  readonly slowAfterMs: number = 500;
  /** Days for which events can be read again. */
  readonly retentionDays: number;
  /** Opens the headers of receivers; undefined where the operator has set no key. */
  readonly secrets: SecretBox | undefined;
  /** 0 ≤ random < 1. */
  readonly random: () => number = Math.random;

  constructor(@Inject(CONFIG) config: WebhookDispatcherConfig) {
    this.timeoutMs = config.WEBHOOK_TIMEOUT_SECONDS * 1000;
    this.scheduleSeconds = config.WEBHOOK_RETRY_SCHEDULE;
    this.concurrency = config.WEBHOOK_CONCURRENCY;
    this.retentionDays = config.WEBHOOK_EVENT_RETENTION_DAYS;
    this.secrets = SecretBox.of(config);
  }
}
