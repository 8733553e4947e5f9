import { withTimeout, type Clock } from '@parlance/platform';
import { LRUCache } from 'lru-cache';
import type { RateBuckets } from './rate-buckets.js';
import { RateView, type RateAnswer } from './rate-view.js';
import type { RatePolicy } from './token-bucket.js';

/** Observes failures of the shared store. */
export interface RateStoreObserver {
  /** @param wasAway whether that is known already */
  failed(error: unknown, wasAway: boolean): void;
  /** One bucket alone was not settled in time: many replicas change it at once. @param id of the key or the account */
  slow(id: string): void;
  recovered(): void;
}

/** Keys and accounts whose buckets are held at once; one that is forgotten is looked up again. */
const VIEWS = 20_000;
/** Milliseconds that a request may wait for the store, which almost none has to. */
const TIMEOUT_MS = 1000;
/** Milliseconds that this replica counts alone before it tries a store or a bucket again that failed. */
const ALONE_MS = 5000;
/** So many buckets in a row that are not settled in time, and it is the store. */
const SLOW_BUCKETS = 3;

interface Held {
  view: RateView;
  syncing?: Promise<void>;
  /** The end of counting this bucket alone. */
  aloneUntilMs: number;
}

class NotInTime extends Error {}

/**
 * Token buckets that replicas share. Each replica decides by its own view and reports its usage in batches, so that the store
 * is called once for many requests, and a request waits for it only in a burst of more than a batch. A replica admits at most
 * one batch that the others do not know of; an excess is deducted later. While the store is unavailable, each replica counts
 * alone; so it does for a single bucket that is slow.
 */
export class RateLimiter {
  private readonly views = new LRUCache<string, Held>({ max: VIEWS });
  private aloneUntilMs = -Infinity;
  private isAway = false;
  /** Buckets that were not settled in time, since one was. */
  private readonly slow = new Set<string>();

  constructor(
    private readonly buckets: Pick<RateBuckets, 'settle'>,
    private readonly clock: Clock,
    private readonly observer: RateStoreObserver,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  /** At once, but in a burst. @param id of the key or the account */
  take(id: string, policy: RatePolicy): RateAnswer | Promise<RateAnswer> {
    const nowMs = this.nowMs();
    const held = this.heldFor(id, policy, nowMs);
    const isAlone = nowMs < Math.max(this.aloneUntilMs, held.aloneUntilMs);
    if (held.view.mustSync && !isAlone) return this.sync(id, held, policy).then(() => this.take(id, policy));
    const answer = held.view.take(nowMs);
    if (isAlone) held.view.alone(nowMs);
    else if (!held.syncing && held.view.isDueToSync(nowMs)) void this.sync(id, held, policy);
    return answer;
  }

  giveBack(id: string): void {
    this.views.get(id)?.view.giveBack();
  }

  private heldFor(id: string, policy: RatePolicy, nowMs: number): Held {
    const known = this.views.get(id);
    if (known) {
      known.view.under(policy);
      return known;
    }
    const held = { view: new RateView(policy, nowMs), aloneUntilMs: -Infinity };
    this.views.set(id, held);
    return held;
  }

  /** Callers during a synchronisation wait for the same one. Never rejects. */
  private sync(id: string, held: Held, policy: RatePolicy): Promise<void> {
    held.syncing ??= this.syncNow(id, held, policy).finally(() => delete held.syncing);
    return held.syncing;
  }

  private async syncNow(id: string, held: Held, policy: RatePolicy): Promise<void> {
    const { view } = held;
    try {
      const shared = await withTimeout(this.timeoutMs, this.buckets.settle(id, policy, view.beginSync(this.nowMs())), notInTime);
      view.synced(shared, this.nowMs());
      this.slow.clear();
      if (this.isAway) this.observer.recovered();
      this.isAway = false;
    } catch (error) {
      view.alone(this.nowMs());
      if (error instanceof NotInTime && this.slow.add(id).size < SLOW_BUCKETS) {
        held.aloneUntilMs = this.nowMs() + ALONE_MS;
        return this.observer.slow(id);
      }
      this.aloneUntilMs = this.nowMs() + ALONE_MS;
      this.observer.failed(error, this.isAway);
      this.isAway = true;
    }
  }

  private nowMs(): number {
    return this.clock.now().getTime();
  }
}

function notInTime(): never {
  throw new NotInTime('The rate limit store did not respond in time.');
}
