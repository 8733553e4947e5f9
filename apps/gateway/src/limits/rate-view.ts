import { batchOf, fullBucket, millisecondsUntil, refilled, WINDOW_MS, type Bucket, type RatePolicy } from './token-bucket.js';

/** The decision on a request. */
export interface RateAnswer {
  allowed: boolean;
  policy: RatePolicy;
  /** Whole requests that are left. */
  left: number;
  /** Milliseconds until the next request is available, 0 when one is left. */
  retryMs: number;
  /** Milliseconds until the bucket is full. */
  fullMs: number;
}

/** Milliseconds after which a replica in use looks again at what the others did. */
const FRESH_MS = 1000;

/** One replica's view of a shared bucket: its state at the last synchronisation, less the requests admitted here since. */
export class RateView {
  private bucket: Bucket;
  private syncedMs: number;
  private askedMs = -Infinity;
  /** Requests admitted here and not yet synchronised. */
  private spent = 0;
  /** Requests that are being synchronised. */
  private syncing = 0;

  constructor(
    private policy: RatePolicy,
    nowMs: number,
  ) {
    this.bucket = fullBucket(policy, nowMs);
    this.syncedMs = nowMs;
  }

  /** A plan may have changed it. */
  under(policy: RatePolicy): void {
    this.policy = policy;
  }

  /** True when unsynchronised usage exceeds the allowance; refuse until the next synchronisation. */
  get mustSync(): boolean {
    return this.spent + this.syncing >= batchOf(this.policy);
  }

  take(nowMs: number): RateAnswer {
    // Requests admitted longer ago than the window are available again, synchronised or not.
    if (nowMs - this.syncedMs >= WINDOW_MS) this.forget(nowMs);
    const { policy } = this;
    const { tokens: before, atMs } = refilled(this.bucket, policy, nowMs);
    const allowed = before >= 1;
    const tokens = allowed ? before - 1 : before;
    this.bucket = { tokens, atMs };
    if (allowed) this.spent += 1;
    const left = Math.max(0, Math.floor(tokens));
    return { allowed, policy, left, retryMs: millisecondsUntil(1, tokens, policy), fullMs: millisecondsUntil(policy.perMinute, tokens, policy) };
  }

  /** The request did not go through after all. */
  giveBack(): void {
    if (this.spent > 0) this.spent -= 1;
    this.bucket = { ...this.bucket, tokens: this.bucket.tokens + 1 };
  }

  isDueToSync(nowMs: number): boolean {
    return this.spent > 0 && (2 * this.spent >= batchOf(this.policy) || nowMs - this.askedMs >= FRESH_MS);
  }

  /** @returns the requests to report */
  beginSync(nowMs: number): number {
    this.syncing = this.spent;
    this.spent = 0;
    this.askedMs = nowMs;
    return this.syncing;
  }

  synced({ tokens, atMs }: Bucket, nowMs: number): void {
    this.bucket = { tokens: tokens - this.spent, atMs };
    this.syncedMs = nowMs;
    this.syncing = 0;
  }

  /** The store is away: this replica counts alone and reports nothing. */
  alone(nowMs: number): void {
    this.syncing = 0;
    this.forget(nowMs);
  }

  private forget(nowMs: number): void {
    this.syncedMs = nowMs;
    this.spent = 0;
  }
}
