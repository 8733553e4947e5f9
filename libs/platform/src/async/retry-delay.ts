export interface Backoff {
  /** Milliseconds before the second try; doubles each time, with jitter, up to maxDelayMs. */
  initialDelayMs: number;
  maxDelayMs: number;
}

/**
 * Milliseconds to wait after the given failed try (1 for the first): doubled each time, then anything between half of it
 * and all of it, so that what failed together does not come back together.
 * @param random from 0 to below 1; 1 for a delay without jitter
 */
export function retryDelay(failedAttempt: number, { initialDelayMs, maxDelayMs }: Backoff, random: number): number {
  const full = Math.min(maxDelayMs, initialDelayMs * 2 ** (failedAttempt - 1));
  return full * (0.5 + random / 2);
}
