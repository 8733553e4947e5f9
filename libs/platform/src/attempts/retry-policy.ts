import type { Backoff } from '../async/retry-delay.js';

export interface RetryPolicy extends Backoff {
  /** Tries before the work is given up. Those that fail in an outage or for busy scratch room (`isWaitedFor`) do not count: it is waited for up to a day. */
  maxAttempts: number;
}

export const DEFAULT_RETRY: RetryPolicy = { maxAttempts: 5, initialDelayMs: 200, maxDelayMs: 10_000 };

/** For what must not be lost to a fault that lasts: one to two and a half minutes of tries. */
export const PATIENT_RETRY: RetryPolicy = { maxAttempts: 12, initialDelayMs: 200, maxDelayMs: 30_000 };
