import { Inject, Injectable } from '@nestjs/common';
import { StorageQuota, type StorageHold } from '../../uploads/storage-quota.js';
import { KeyBudgets } from '../../usage/key-budgets.js';
import { Quota } from '../../usage/quota.js';
import type { LiveSession } from '../session/live-session.js';

/** Milliseconds of audio that are set aside beyond what has come, so that not each second of a session is a change of its account. */
const AHEAD_MS = 30_000;

/** The limits of one session while its audio comes. */
export interface SessionQuota {
  /** Before audio up to this length of the session is stored. @throws AppError payment_required/quota_exhausted, key_budget_exhausted */
  requireTime(audioMs: number): Promise<void>;
  /** Before a piece is stored. @throws AppError payment_required/storage_quota_exhausted */
  holdBytes(bytes: number): Promise<StorageHold>;
}

/** The free time and the storage of accounts and the budgets of keys, of which live sessions take what they use as they use it. */
@Injectable()
export class LiveQuota {
  constructor(
    @Inject(KeyBudgets) private readonly budgets: Pick<KeyBudgets, 'extend'>,
    @Inject(Quota) private readonly quota: Pick<Quota, 'extend'>,
    @Inject(StorageQuota) private readonly storage: Pick<StorageQuota, 'hold'>,
  ) {}

  /** For a new connection. @throws AppError payment_required when nothing is left */
  async of({ accountId, keyId, id, audioMs }: Pick<LiveSession, 'accountId' | 'keyId' | 'id' | 'audioMs'>): Promise<SessionQuota> {
    let reservedMs = 0;
    const requireTime = async (neededMs: number) => {
      if (neededMs <= reservedMs) return;
      const time = { neededMs, wantedMs: neededMs + AHEAD_MS };
      const ofKey = await this.budgets.extend(accountId, keyId, id, time);
      reservedMs = Math.min(ofKey, await this.quota.extend(accountId, id, time));
    };
    await requireTime(audioMs + 1);
    return { requireTime, holdBytes: (bytes) => this.storage.hold(accountId, bytes) };
  }
}
