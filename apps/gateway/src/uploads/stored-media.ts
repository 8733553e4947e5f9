import { isCountedKey } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import type { MediaStore } from '@parlance/storage';
import { LRUCache } from 'lru-cache';

/** Milliseconds for which a sum holds at least; what this process adds is counted at once. */
const FRESH_MS = 2000;
/** A sum that took long to make holds longer, so that making it keeps nothing busy. */
const FRESH_PER_LISTING = 50;
/** A refusal accepts a sum of a tenth of that age. */
const REFRESHES_A_LISTING = 10;

const NONE_UNFINISHED = { unfinishedBytes: async () => 0 };

interface Sum {
  bytes: Promise<number>;
  /** Milliseconds since the epoch. */
  until: number;
  /** Milliseconds that it holds, once it is there. */
  freshMs: number;
  /** Since the sum was begun. */
  added: number;
}

/**
 * Bytes of media files that an account has stored. They are summed from the store itself, so that no crash, retry or deletion
 * can make the sum wrong for longer than it is kept.
 */
export class StoredMedia {
  private readonly sums = new LRUCache<string, Sum>({ max: 10_000 });

  constructor(
    private readonly media: Pick<MediaStore, 'list'>,
    private readonly clock: Clock,
    private readonly uploads: { unfinishedBytes(accountId: string): Promise<number> } = NONE_UNFINISHED,
  ) {}

  async bytesOf(accountId: string): Promise<number> {
    const known = this.sums.get(accountId);
    const sum = known && known.until > this.now() ? known : this.begin(accountId);
    return (await sum.bytes) + sum.added;
  }

  /** For a refusal: what was removed a moment ago no longer counts. Many refusals share one listing. */
  async freshBytesOf(accountId: string): Promise<number> {
    const known = this.sums.get(accountId);
    if (known && known.until - known.freshMs + known.freshMs / REFRESHES_A_LISTING <= this.now()) this.sums.delete(accountId);
    return this.bytesOf(accountId);
  }

  /** A file was stored by this process. */
  add(accountId: string, bytes: number): void {
    const sum = this.sums.get(accountId);
    if (sum) sum.added += bytes;
  }

  private begin(accountId: string): Sum {
    const begun = this.now();
    const sum: Sum = { bytes: this.list(accountId), until: Infinity, freshMs: 0, added: 0 };
    this.sums.set(accountId, sum);
    sum.bytes.then(
      () => {
        sum.freshMs = Math.max(FRESH_MS, FRESH_PER_LISTING * (this.now() - begun));
        sum.until = this.now() + sum.freshMs;
      },
      () => this.sums.delete(accountId),
    );
    return sum;
  }

  private async list(accountId: string): Promise<number> {
    let bytes = await this.uploads.unfinishedBytes(accountId);
    for await (const { key, sizeBytes } of this.media.list(`${accountId}/`)) if (isCountedKey(key)) bytes += sizeBytes;
    return bytes;
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}
