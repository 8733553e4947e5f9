import { batchOf, fullBucket, millisecondsUntil, refilled, WINDOW_MS, type Bucket, type RatePolicy } from './token-bucket.js';

/** How a request fared. */
export interface RateAnswer {
  allowed: boolean;
  policy: RatePolicy;
  /** Whole requests that are left. */
  left: number;
  /** Milliseconds until the next one is there, 0 when one is left; */
  retryMs: number;
  /** and until the bucket is full. */
  fullMs: number;
}

/** Milliseconds after which a replica in use looks again at what the others did. */
const FRESH_MS = 1000;

/** What one replica makes of a shared bucket: as it was when last heard of, less what went through here since. */
export class RateView {
  private bucket: Bucket;
  private heardMs: number;
  private askedMs = -Infinity;
  /** What went through and was not told to the others yet, */
  private spent = 0;
  /** or is being told. */
  private telling = 0;

  constructor(
    private policy: RatePolicy,
    nowMs: number,
  ) {
    this.bucket = fullBucket(policy, nowMs);
    this.heardMs = nowMs;
  }

  /** A plan may have changed it. */
  under(policy: RatePolicy): void {
    this.policy = policy;
  }

  /** Whether so much went through unheard by the others that no more may before they are told. */
  get mustTell(): boolean {
    return this.spent + this.telling >= batchOf(this.policy);
  }

  take(nowMs: number): RateAnswer {
    // What went through longer ago than the window has come back since, told or not.
    if (nowMs - this.heardMs >= WINDOW_MS) this.forget(nowMs);
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

  isDueToTell(nowMs: number): boolean {
    return this.spent > 0 && (2 * this.spent >= batchOf(this.policy) || nowMs - this.askedMs >= FRESH_MS);
  }

  /** @returns how many to tell. */
  beginTelling(nowMs: number): number {
    this.telling = this.spent;
    this.spent = 0;
    this.askedMs = nowMs;
    return this.telling;
  }

  told({ tokens, atMs }: Bucket, nowMs: number): void {
    this.bucket = { tokens: tokens - this.spent, atMs };
    this.heardMs = nowMs;
    this.telling = 0;
  }

  /** The store is away: this replica counts alone, and will not tell of it. */
  alone(nowMs: number): void {
    this.telling = 0;
    this.forget(nowMs);
  }

  private forget(nowMs: number): void {
    this.heardMs = nowMs;
    this.spent = 0;
  }
}
