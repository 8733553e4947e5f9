import { AppError } from '@parlance/platform';
import type { Caller } from '../keys/authenticator.js';

/** Answers held open at the same time; 0 is no limit. */
export interface StreamLimits {
  perKey: number;
  perAccount: number;
}

/** Counts the answers that this process holds open, by key and by account. */
export class StreamSlots {
  private readonly open = new Map<string, number>();

  constructor(private readonly limitsOf: (accountId: string) => StreamLimits | Promise<StreamLimits>) {}

  /** @returns to be called once when the answer has ended. @throws AppError too_many_streams */
  async take({ keyId, accountId }: Pick<Caller, 'keyId' | 'accountId'>): Promise<() => void> {
    const { perKey, perAccount } = await this.limitsOf(accountId);
    this.requireRoom('key', keyId, perKey);
    this.requireRoom('account', accountId, perAccount);
    this.add(keyId, 1);
    this.add(accountId, 1);
    return () => {
      this.add(keyId, -1);
      this.add(accountId, -1);
    };
  }

  private requireRoom(what: string, id: string, limit: number): void {
    if (limit === 0 || (this.open.get(id) ?? 0) < limit) return;
    throw new AppError({ kind: 'rate_limited', code: 'too_many_streams', message: `The ${what} has ${limit} open streams, which is its limit.`, retryAfter: RETRY_AFTER_SECONDS });
  }

  private add(id: string, change: number): void {
    const count = (this.open.get(id) ?? 0) + change;
    if (count === 0) this.open.delete(id);
    else this.open.set(id, count);
  }
}

/** As long as a long poll may take. */
const RETRY_AFTER_SECONDS = 60;
