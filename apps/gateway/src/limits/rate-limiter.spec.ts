import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rateLimitHeaders } from './rate-limit-headers.js';
import { RateLimiter, type RateStoreObserver } from './rate-limiter.js';
import { batchOf, fullBucket, refilled, type Bucket, type RatePolicy } from './token-bucket.js';

const KEY = 'key_1';
const policy: RatePolicy = { perMinute: 600 };

const UNHEARD: RateStoreObserver = { failed: () => undefined, slow: () => undefined, recovered: () => undefined };

/** A store that several replicas share, with a clock of its own. */
class SharedBuckets {
  nowMs = Date.parse('2026-01-01T12:00:00Z');
  isAway = false;
  calls = 0;
  readonly buckets = new Map<string, Bucket>();
  readonly clock = { now: () => new Date(this.nowMs) };

  async settle(id: string, under: RatePolicy, spent: number): Promise<Bucket> {
    this.calls += 1;
    if (this.isAway) throw new Error('the store is away');
    const { tokens, atMs } = refilled(this.buckets.get(id) ?? fullBucket(under, this.nowMs), under, this.nowMs);
    const bucket = { tokens: tokens - spent, atMs };
    this.buckets.set(id, bucket);
    return bucket;
  }

  replica(observer: Partial<RateStoreObserver> = {}): RateLimiter {
    return new RateLimiter(this, this.clock, { ...UNHEARD, ...observer });
  }
}

/** How many of so many requests get through. */
async function allowed(limiter: RateLimiter, requests: number, under = policy): Promise<number> {
  let count = 0;
  for (let index = 0; index < requests; index += 1) if ((await limiter.take(KEY, under)).allowed) count += 1;
  return count;
}

describe('a limit of 600 a minute', () => {
  it('lets 600 through at once, then ten a second, and says how long to wait', async () => {
    const store = new SharedBuckets();
    const replica = store.replica();
    expect(await allowed(replica, 700)).toBe(600);
    expect(await replica.take(KEY, policy)).toMatchObject({ allowed: false, left: 0, retryMs: 100 });
    store.nowMs += 1000;
    expect(await allowed(replica, 50)).toBe(10);
    store.nowMs += 60_000;
    expect(await allowed(replica, 700)).toBe(600);
  });

  it('asks the store once for a batch, not for each request, and not at all for those it refuses', async () => {
    const store = new SharedBuckets();
    const replica = store.replica();
    await allowed(replica, 600);
    const calls = store.calls;
    expect(calls).toBeLessThanOrEqual((2 * 600) / batchOf(policy) + 1);
    await allowed(replica, 500);
    expect(store.calls).toBeLessThanOrEqual(calls + 1);
  });

  it('holds for all who come at once', async () => {
    const replica = new SharedBuckets().replica();
    const answers = await Promise.all(Array.from({ length: 1000 }, () => replica.take(KEY, policy)));
    expect(answers.filter((answer) => answer.allowed)).toHaveLength(600);
  });

  it('is one over all replicas: at most a batch of each is too much, and made up for', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(1, 7, 60, 600),
        fc.array(fc.record({ at: fc.nat(4), requests: fc.nat(40), pauseMs: fc.nat(3000) }), { minLength: 5, maxLength: 40 }),
        async (replicas, perMinute, steps) => {
          const store = new SharedBuckets();
          const under = { perMinute };
          const all = Array.from({ length: replicas }, () => store.replica());
          const begin = store.nowMs;
          let through = 0;
          for (const { at, requests, pauseMs } of steps) {
            const limiter = all[at % replicas];
            if (limiter) through += await allowed(limiter, requests, under);
            store.nowMs += pauseMs;
          }
          const refill = ((store.nowMs - begin) / 60_000) * perMinute;
          expect(through).toBeLessThanOrEqual(perMinute + refill + replicas * batchOf(under));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('gives a request back that another limit refused', async () => {
    const replica = new SharedBuckets().replica();
    await allowed(replica, 599);
    await replica.take(KEY, policy);
    replica.giveBack(KEY);
    expect((await replica.take(KEY, policy)).allowed).toBe(true);
    expect((await replica.take(KEY, policy)).allowed).toBe(false);
  });
});

describe('while the shared store is away', () => {
  it('nobody within the limit is refused, and it is told once until it is back', async () => {
    const store = new SharedBuckets();
    const said: string[] = [];
    const replica = store.replica({ failed: (_, wasAway) => said.push(wasAway ? 'still away' : 'away'), recovered: () => said.push('back') });
    store.isAway = true;
    expect(await allowed(replica, 600)).toBe(600);
    expect(await allowed(replica, 10)).toBe(0);
    store.nowMs += 10_000;
    expect(await allowed(replica, 100)).toBe(100);
    store.nowMs += 10_000;
    store.isAway = false;
    expect(await allowed(replica, 50)).toBe(50);
    expect(said).toEqual(['away', 'still away', 'back']);
  });

  it('a store that does not answer holds a request up for so long and no longer', async () => {
    const silent = { settle: () => new Promise<Bucket>(() => undefined) };
    const replica = new RateLimiter(silent, { now: () => new Date(0) }, UNHEARD, 5);
    expect(await allowed(replica, 600)).toBe(600);
  });
});

describe('a bucket that is slow', () => {
  /** Answers for all buckets but these. */
  function start(silent: readonly string[]) {
    const store = new SharedBuckets();
    const said: string[] = [];
    const settle = (id: string, under: RatePolicy, spent: number) => (silent.includes(id) ? new Promise<Bucket>(() => undefined) : store.settle(id, under, spent));
    const observer = { failed: () => said.push('away'), slow: (id: string) => said.push(`${id} is slow`), recovered: () => said.push('back') };
    return { store, said, replica: new RateLimiter({ settle }, store.clock, observer, 5) };
  }

  it('is kept alone by itself: the others are still shared by the replicas', async () => {
    const { store, said, replica } = start(['key_slow']);
    for (let times = 0; times < 2 * batchOf(policy); times += 1) await replica.take('key_slow', policy);
    expect(said).toEqual(['key_slow is slow']);
    await allowed(replica, 300);
    expect(await allowed(store.replica(), 600)).toBeLessThanOrEqual(300 + batchOf(policy));
  });

  it('is the store’s fault when it is the third in a row', async () => {
    const ids = ['key_1', 'key_2', 'key_3'];
    const { said, replica } = start(ids);
    for (const id of ids) for (let times = 0; times < 2 * batchOf(policy); times += 1) await replica.take(id, policy);
    expect(said).toEqual(['key_1 is slow', 'key_2 is slow', 'away']);
  });
});

describe('the RateLimit fields', () => {
  it('are lists of Structured Fields, an item for each limit', () => {
    const answer = { allowed: true, policy, left: 599, retryMs: 0, fullMs: 100 };
    const empty = { allowed: false, policy: { perMinute: 60 }, left: 0, retryMs: 1001, fullMs: 60_000 };
    expect(rateLimitHeaders(answer, empty)).toEqual({
      'ratelimit-policy': '"key";q=600;w=60, "account";q=60;w=60',
      ratelimit: '"key";r=599;t=1, "account";r=0;t=2',
    });
    expect(rateLimitHeaders(undefined, answer)?.ratelimit).toBe('"account";r=599;t=1');
    expect(rateLimitHeaders(undefined, undefined)).toBeUndefined();
  });
});
