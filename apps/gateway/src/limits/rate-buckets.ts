import type { Clock } from '@parlance/platform';
import type { Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { fullBucket, refilled, type Bucket, type RatePolicy } from './token-bucket.js';

/** The bucket of a key or an account, whose id it has. */
interface RateBucket extends Document {
  tokens: number;
  updatedAt: string;
}

const A_DAY_SECONDS = 24 * 60 * 60;

/** The buckets that all replicas share. */
export class RateBuckets {
  private readonly collection: DocumentCollection<RateBucket>;

  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
  ) {
    // One that is missing is full, so an old one may go.
    this.collection = documents.collection<RateBucket>({
      name: 'rate_buckets',
      data: { what: 'requests that an account or address may still make', purpose: 'rate limits', kept: 'a day' },
      account: 'id',
      indexes: [], expires: { field: 'updatedAt', afterSeconds: A_DAY_SECONDS },
    });
  }

  /** Takes out what was spent, however little there is. @returns the bucket afterwards */
  async settle(id: string, policy: RatePolicy, spent: number): Promise<Bucket> {
    const nowMs = this.clock.now().getTime();
    let bucket = fullBucket(policy, nowMs);
    await this.collection.update(id, (current) => {
      const before = current ? { tokens: current.tokens, atMs: Date.parse(current.updatedAt) } : fullBucket(policy, nowMs);
      const { tokens, atMs } = refilled(before, policy, nowMs);
      bucket = { tokens: tokens - spent, atMs };
      const updatedAt = new Date(atMs).toISOString();
      return { document: { id, createdAt: current?.createdAt ?? updatedAt, tokens: bucket.tokens, updatedAt } };
    });
    return bucket;
  }
}
