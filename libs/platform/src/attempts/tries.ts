import { isWaitedFor } from '../errors/outage.js';
import { retryDelay } from '../async/retry-delay.js';
import type { RetryPolicy } from './retry-policy.js';

/** The maximum pause in milliseconds during an outage: work resumes soon after it, and thousands of waiting items cost little. */
const OUTAGE_MAX_DELAY_MS = 30_000;

/** Milliseconds that one item of work waits in all for outages to end. As long as a job may make no progress, by default. */
const OUTAGE_LIMIT_MS = 24 * 60 * 60_000;

/** The tries of one event or task. */
export interface Tries {
  /** The one that runs, or comes next. */
  attempt: number;
  /** The failures that were caused by an outage. */
  outages?: number;
  /** Milliseconds of pauses after those. */
  waitedMs?: number;
}

/**
 * Counts a failed try. Tries that fail in an outage, or for busy scratch room, say nothing about the work and are counted apart.
 * @param random from 0 to below 1
 * @returns the tries with the next one and the milliseconds to wait before it; undefined when the work is to be given up
 */
export function triesAfterFailure(tries: Tries, retry: RetryPolicy, error: unknown, random: number): { tries: Tries; delayMs: number } | undefined {
  const { attempt, outages = 0, waitedMs = 0 } = tries;
  const next = { ...tries, attempt: attempt + 1 };
  if (!isWaitedFor(error)) {
    return attempt - outages >= retry.maxAttempts ? undefined : { tries: next, delayMs: retryDelay(attempt, retry, random) };
  }
  const delayMs = retryDelay(attempt, { ...retry, maxDelayMs: Math.max(retry.maxDelayMs, OUTAGE_MAX_DELAY_MS) }, random);
  const waited = waitedMs + delayMs;
  return waited > OUTAGE_LIMIT_MS ? undefined : { tries: { ...next, outages: outages + 1, waitedMs: waited }, delayMs };
}
