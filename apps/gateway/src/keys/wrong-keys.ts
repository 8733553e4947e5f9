import { AppError, type Clock, type Metrics } from '@parlance/platform';
import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';
import { addressLimits } from '../http/address-limits.js';

/** Tries that a group of addresses has left, and when that was so. */
interface Tries {
  left: number;
  atMs: number;
}

/** The outcome: it was wrong, or refused because too many had been wrong. */
type WrongKeyAnswer = 'wrong' | 'rate_limited';

/** Groups that are remembered at once; those with the oldest mistakes are forgotten first. About 4 MB. */
const GROUPS = 20_000;
const MINUTE_MS = 60_000;

/**
 * Wrong keys by the address that they came from, as a token bucket. Of each process by itself: nothing is written for a
 * key that is wrong, and with 190 random bits in each, what a guesser may try on several replicas is of no matter.
 */
export class WrongKeys {
  private readonly tries = new LRUCache<string, Tries>({ max: GROUPS });

  constructor(
    private readonly perMinute: number,
    private readonly clock: Clock,
    private readonly observe: (answer: WrongKeyAnswer) => void = () => {},
    private readonly what = 'keys or tokens',
  ) {}

  /** Counts one that was looked at and is wrong. A right one is let in however many were wrong: a guesser must not lock out others at its address. @throws AppError rate_limited while the address, or a group around it, has no tries left */
  count(address: string): void {
    this.take(address)(true);
  }

  /**
   * Before a code is looked at, which has few digits: of many at once, only as many are as may be wrong.
   * @returns to be called with the outcome: a try that was not wrong is given back
   * @throws AppError rate_limited while the address, or a group around it, has no tries left
   */
  take(address: string): (wasWrong: boolean) => void {
    this.requireTry(address);
    this.change(address, -1);
    return (wasWrong) => {
      if (wasWrong) this.observe('wrong');
      else this.change(address, 1);
    };
  }

  private requireTry(address: string): void {
    const waits = this.bucketsOf(address).map(({ left, perMinute }) => ((1 - left) * MINUTE_MS) / perMinute);
    const waitMs = Math.max(...waits);
    if (waitMs <= 0) return;
    this.observe('rate_limited');
    throw new AppError({ kind: 'rate_limited', code: 'rate_limited', message: `This address has sent too many wrong ${this.what}.`, retryAfter: Math.ceil(waitMs / 1000) });
  }

  private change(address: string, by: number): void {
    const atMs = this.clock.now().getTime();
    for (const { group, left } of this.bucketsOf(address)) this.tries.set(group, { left: left + by, atMs });
  }

  /** The buckets of the address and of each wider group around it. */
  private bucketsOf(address: string): { group: string; perMinute: number; left: number }[] {
    const nowMs = this.clock.now().getTime();
    return addressLimits(address, this.perMinute).map(({ group, limit: perMinute }) => {
      const { left, atMs } = this.tries.get(group) ?? { left: perMinute, atMs: nowMs };
      return { group, perMinute, left: Math.min(perMinute, left + (Math.max(0, nowMs - atMs) * perMinute) / MINUTE_MS) };
    });
  }
}

/** Wrong secrets of links, apart from wrong keys: pages with old links are no guessers. */
export class WrongLinks extends WrongKeys {}

/** Wrong codes of sign-ups, apart from wrong keys: a code is not looked at while its address has no tries left. */
export class WrongCodes extends WrongKeys {}

/** Counts wrong keys and tokens, and those that were refused because there were too many, to detect guessing. */
export const countWrongKeys = (metrics: Metrics): ((answer: WrongKeyAnswer) => void) => counterOf(metrics, 'parlance_wrong_keys_total', 'API keys and tokens');
export const countWrongLinks = (metrics: Metrics): ((answer: WrongKeyAnswer) => void) => counterOf(metrics, 'parlance_wrong_links_total', 'secrets of links');
export const countWrongCodes = (metrics: Metrics): ((answer: WrongKeyAnswer) => void) => counterOf(metrics, 'parlance_wrong_codes_total', 'sign-up codes');

function counterOf(metrics: Metrics, name: string, what: string): (answer: WrongKeyAnswer) => void {
  const counter = new Counter({
    name,
    help: `Wrong ${what}, and requests refused because their address sent too many of them`,
    labelNames: ['answer'] as const,
    registers: [metrics],
  });
  return (answer) => counter.inc({ answer });
}
