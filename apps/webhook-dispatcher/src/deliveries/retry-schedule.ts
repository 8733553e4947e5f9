/** Seconds before the second, third, … attempt, as the public contract says: about three days in all. */
export const DEFAULT_SCHEDULE_SECONDS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;

/** Part of a delay that is random, in either direction, so that receivers do not get their retries in waves. */
const JITTER = 0.2;
/** @param random 0 ≤ random < 1 */
export const jittered = (delay: number, random: number): number => delay * (1 - JITTER + 2 * JITTER * random);
/** A receiver may postpone a retry, but not for ever. */
const MAX_DELAY_SECONDS = 24 * 3600;

/** Date.parse alone takes nearly anything for a date, `-5` for instance. */
const HTTP_DATE = /^\w{3,9}, \d{2}[ -]\w{3}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;

interface RetryTiming {
  /** Attempts made so far in this round; at least 1. */
  tries: number;
  scheduleSeconds: readonly number[];
  /** 0 ≤ random < 1. */
  random: number;
  /** Seconds that the receiver asked to be left alone. */
  retryAfterSeconds?: number | undefined;
}

/** Milliseconds until the next attempt; undefined when the schedule is used up. */
export function nextDelayMs({ tries, scheduleSeconds, random, retryAfterSeconds = 0 }: RetryTiming): number | undefined {
  const seconds = scheduleSeconds[tries - 1];
  if (seconds === undefined) return undefined;
  return Math.round(1000 * Math.max(jittered(seconds, random), Math.min(retryAfterSeconds, MAX_DELAY_SECONDS)));
}

/** A webhook that waits for its receiver to recover is not kept longer than its attempts would have taken, nor less than an hour. */
const MIN_ROUND_SECONDS = 3600;

/** Milliseconds from the beginning of a round to its last attempt. */
export function roundMs(scheduleSeconds: readonly number[]): number {
  const sum = scheduleSeconds.reduce((total, seconds) => total + seconds, 0);
  return 1000 * Math.max(MIN_ROUND_SECONDS, sum * (1 + JITTER));
}

/** Seconds of a `Retry-After` header, which holds seconds or an HTTP date (RFC 9110, section 10.2.3); at most a day of the former. */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Math.min(Number(header), MAX_DELAY_SECONDS);
  const date = HTTP_DATE.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now.getTime()) / 1000);
}
