export interface RetryPolicy {
  /** Tries before the work is given up. Those that fail in an outage or for busy scratch room (`isWaitedFor`) do not count: it is waited for up to a day. */
  maxAttempts: number;
  /** Milliseconds before the second try; doubles each time, with jitter, up to maxDelayMs. */
  initialDelayMs: number;
  maxDelayMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { maxAttempts: 5, initialDelayMs: 200, maxDelayMs: 10_000 };

/** For what must not be lost to a fault that lasts: one to two and a half minutes of tries. */
export const PATIENT_RETRY: RetryPolicy = { maxAttempts: 12, initialDelayMs: 200, maxDelayMs: 30_000 };

/**
 * Milliseconds to wait after the given failed try (1 for the first): doubled each time, then anything between half of it
 * and all of it, so that what failed together does not come back together.
 * @param random from 0 to below 1
 */
export function retryDelay(failedAttempt: number, { initialDelayMs, maxDelayMs }: RetryPolicy, random: number): number {
  const full = Math.min(maxDelayMs, initialDelayMs * 2 ** (failedAttempt - 1));
  return full * (0.5 + random / 2);
}
