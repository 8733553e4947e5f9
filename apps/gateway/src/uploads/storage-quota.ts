import { AppError } from '@parlance/platform';
import type { AccountPlans } from '../plans/index.js';
import type { StoredMedia } from './stored-media.js';

/** Bytes that an upload on its way may become. */
export interface StorageHold {
  /** Charges bytes that have arrived, where the size was not known before. @throws AppError payment_required/storage_quota_exhausted */
  charge(bytes: number): Promise<void>;
  /** It is stored, with so many bytes, and no longer on its way. */
  keep(bytes: number): void;
  /** It is not on its way any more. */
  release(): void;
}

/** The bytes, each charged before it is passed on. */
export async function* charged(body: AsyncIterable<Uint8Array>, hold: StorageHold): AsyncGenerator<Uint8Array> {
  for await (const bytes of body) {
    await hold.charge(bytes.length);
    yield bytes;
  }
}

interface AccountStorage {
  usedBytes: number;
  /** null: no limit. */
  limitBytes: number | null;
}

/** The bytes of media that an account may have stored at a time. Uploads in progress in this process count. */
export class StorageQuota {
  /** By account: bytes of uploads whose size is known before they arrive. */
  private readonly held = new Map<string, number>();
  /** By account: bytes that have arrived of the other uploads. */
  private readonly arrived = new Map<string, number>();

  /** @param byDefault of plans that do not say; 0 is no limit */
  constructor(
    private readonly stored: StoredMedia,
    private readonly plans: Pick<AccountPlans, 'of'>,
    private readonly byDefault: number,
  ) {}

  async of(accountId: string): Promise<AccountStorage> {
    const limit = await this.limitOf(accountId);
    return { usedBytes: await this.stored.bytesOf(accountId), limitBytes: limit === Infinity ? null : limit };
  }

  /**
   * For a fetch of a job that was accepted: an upload that may become larger must not make it fail for good, so uploads of
   * unknown size do not count. @returns undefined where there is no limit
   */
  async leftOf(accountId: string): Promise<number | undefined> {
    const limit = await this.limitOf(accountId);
    if (limit === Infinity) return undefined;
    return Math.max(0, limit - (await this.stored.freshBytesOf(accountId)) - bytesIn(this.held, accountId));
  }

  /** True while uploads on their way in this process hold bytes of the account, which may become free again. */
  isHeld(accountId: string): boolean {
    return bytesIn(this.held, accountId) + bytesIn(this.arrived, accountId) > 0;
  }

  /** For media that is fetched later. @throws AppError payment_required/storage_quota_exhausted when nothing is left */
  async require(accountId: string): Promise<void> {
    const limit = await this.limitOf(accountId);
    if (limit !== Infinity && this.left(accountId, limit, await this.usedFor(accountId, limit, 1)) === 0) throw storageExhausted();
  }

  /** @param bytes of the upload; 0 where they are not known and have to be charged as they arrive. @throws AppError payment_required/storage_quota_exhausted */
  async hold(accountId: string, bytes: number): Promise<StorageHold> {
    const limit = await this.limitOf(accountId);
    if (limit === Infinity) return UNBOUNDED;
    const sums = bytes > 0 ? this.held : this.arrived;
    let own = 0;
    const take = async (more: number) => {
      const used = await this.usedFor(accountId, limit, more);
      // No await from here on: two that ask at once must not get the same bytes.
      if (this.left(accountId, limit, used) < Math.max(1, more)) throw storageExhausted();
      change(sums, accountId, more);
      own += more;
    };
    await take(bytes);
    const release = () => {
      change(sums, accountId, -own);
      own = 0;
    };
    return {
      charge: async (arrived) => (sums === this.arrived && arrived > 0 ? take(arrived) : undefined),
      keep: (stored) => {
        release();
        this.stored.add(accountId, stored);
      },
      release,
    };
  }

  /** Removed media count no longer, so that a fresh removal refuses no upload. */
  private async usedFor(accountId: string, limit: number, bytes: number): Promise<number> {
    const used = await this.stored.bytesOf(accountId);
    return this.left(accountId, limit, used) < Math.max(1, bytes) ? this.stored.freshBytesOf(accountId) : used;
  }

  private left(accountId: string, limit: number, used: number): number {
    return Math.max(0, limit - used - bytesIn(this.held, accountId) - bytesIn(this.arrived, accountId));
  }

  private async limitOf(accountId: string): Promise<number> {
    const { storageBytes = this.byDefault } = (await this.plans.of(accountId)).limits;
    return storageBytes === 0 ? Infinity : storageBytes;
  }
}

export const UNBOUNDED: StorageHold = { charge: async () => {}, keep: () => {}, release: () => {} };

const bytesIn = (sums: ReadonlyMap<string, number>, accountId: string): number => sums.get(accountId) ?? 0;

function change(sums: Map<string, number>, accountId: string, by: number): void {
  const bytes = bytesIn(sums, accountId) + by;
  if (bytes > 0) sums.set(accountId, bytes);
  else sums.delete(accountId);
}

export const storageExhausted = (): AppError =>
  new AppError({ kind: 'payment_required', code: 'storage_quota_exhausted', message: 'The media files of the account take up all bytes that its plan allows.', retryable: false });
