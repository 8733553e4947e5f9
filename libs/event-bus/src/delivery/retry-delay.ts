import type { RetryPolicy } from '../event-bus.js';

/**
 * Milliseconds to wait after the given failed try (1 for the first): doubled each time, then anything between half of it
 * and all of it, so that what failed together does not come back together.
 * @param random from 0 to below 1
 */
export function retryDelay(failedAttempt: number, { initialDelayMs, maxDelayMs }: RetryPolicy, random: number): number {
  const full = Math.min(maxDelayMs, initialDelayMs * 2 ** (failedAttempt - 1));
  return full * (0.5 + random / 2);
}
