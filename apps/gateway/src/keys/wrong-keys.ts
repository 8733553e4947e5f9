import { AppError, type Clock } from '@parlance/platform';
import { LRUCache } from 'lru-cache';

/** Tries that an address has left, and when that was so. */
interface Tries {
  left: number;
  atMs: number;
}

/** What became of it: it was looked at, or was not because too many had been wrong. */
export type WrongKeyAnswer = 'wrong' | 'rate_limited';

/** Addresses that are remembered at once; those with the oldest mistakes are forgotten first. About 4 MB. */
const ADDRESSES = 20_000;
const MINUTE_MS = 60_000;

/**
 * Wrong keys by the address that they came from, as a token bucket. Of each process by itself: nothing is written for a
 * key that is wrong, and with 190 random bits in each, what a guesser may try on several replicas is of no matter.
 */
export class WrongKeys {
  private readonly tries = new LRUCache<string, Tries>({ max: ADDRESSES });

  constructor(
    private readonly perMinute: number,
    private readonly clock: Clock,
    private readonly observe: (answer: WrongKeyAnswer) => void = () => {},
  ) {}

  /** Before a key or code that is not known to be right. @throws AppError rate_limited while the address has no tries left */
  check(address: string): void {
    const { left } = this.now(address);
    if (left >= 1) return;
    this.observe('rate_limited');
    const retryAfter = Math.ceil(((1 - left) * MINUTE_MS) / this.perMinute / 1000);
    throw new AppError({ kind: 'rate_limited', code: 'rate_limited', message: 'Too many wrong keys or codes came from this address.', retryAfter });
  }

  count(address: string): void {
    this.observe('wrong');
    const { left, atMs } = this.now(address);
    this.tries.set(address, { left: Math.max(0, left - 1), atMs });
  }

  private now(address: string): Tries {
    const nowMs = this.clock.now().getTime();
    const { left, atMs } = this.tries.get(address) ?? { left: this.perMinute, atMs: nowMs };
    return { left: Math.min(this.perMinute, left + (Math.max(0, nowMs - atMs) * this.perMinute) / MINUTE_MS), atMs: nowMs };
  }
}
