import { AppError } from '@parlance/platform';
import type { Caller } from '../keys/authenticator.js';

/** Answers held open at the same time; 0 is no limit. */
export interface StreamLimits {
  perKey: number;
  perAccount: number;
}

/** Connections that an ephemeral key may have open at the same time: a page needs one, and a second one while it connects again. */
const PER_EPHEMERAL_KEY = 4;

/** Counts the answers and connections that this process holds open, by key, by account and by ephemeral key. */
export class StreamSlots {
  private readonly open = new Map<string, number>();

  constructor(private readonly limitsOf: (accountId: string) => StreamLimits | Promise<StreamLimits>) {}

  /** @returns to be called once when the answer has ended. @throws AppError too_many_streams */
  async take({ keyId, accountId, token }: Pick<Caller, 'keyId' | 'accountId' | 'token'>): Promise<() => void> {
    const { perKey, perAccount } = await this.limitsOf(accountId);
    const ephemeralKey = token?.use === undefined ? [] : [token.id];
    for (const id of ephemeralKey) this.requireRoom('ephemeral key', id, PER_EPHEMERAL_KEY);
    this.requireRoom('key', keyId, perKey);
    this.requireRoom('account', accountId, perAccount);
    const counted = [keyId, accountId, ...ephemeralKey];
    for (const id of counted) this.add(id, 1);
    return () => {
      for (const id of counted) this.add(id, -1);
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
