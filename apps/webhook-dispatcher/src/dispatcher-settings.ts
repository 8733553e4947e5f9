import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '@parlance/runtime';
import type { WebhookDispatcherConfig } from './webhook-dispatcher.config.js';

@Injectable()
export class DispatcherSettings {
  /** For connection and answer of one request together. */
  readonly timeoutMs: number;
  /** Seconds before the second, third, … try. */
  readonly scheduleSeconds: readonly number[];
  /** Receivers served at once, beside the slow ones. */
  readonly concurrency: number;
  /** A receiver that takes longer is slow: it leaves its place to another, and continues beside it. */
  readonly slowAfterMs: number = 500;
  /** Days for which events can be read again. */
  readonly retentionDays: number;
  /** 0 ≤ random < 1. */
  readonly random: () => number = Math.random;

  constructor(@Inject(CONFIG) config: WebhookDispatcherConfig) {
    this.timeoutMs = config.WEBHOOK_TIMEOUT_SECONDS * 1000;
    this.scheduleSeconds = config.WEBHOOK_RETRY_SCHEDULE;
    this.concurrency = config.WEBHOOK_CONCURRENCY;
    this.retentionDays = config.WEBHOOK_EVENT_RETENTION_DAYS;
  }
}
