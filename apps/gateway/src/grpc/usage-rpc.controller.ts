import { Controller, Inject } from '@nestjs/common';
import type { AccountService, gateway } from '@parlance/contracts';
import { LiveSessions } from '../live/session/live-sessions.js';
import { StorageQuota } from '../uploads/storage-quota.js';
import { KeyBudgets } from '../usage/key-budgets.js';
import { Quota } from '../usage/quota.js';

/** The part of AccountService that ingest asks about jobs. */
@Controller()
export class UsageRpcController implements Pick<AccountService, 'reserveSeconds' | 'getStorageLeft' | 'getLiveAudio'> {
  constructor(
    @Inject(Quota) private readonly quota: Quota,
    @Inject(KeyBudgets) private readonly budgets: KeyBudgets,
    @Inject(StorageQuota) private readonly storage: StorageQuota,
    @Inject(LiveSessions) private readonly sessions: Pick<LiveSessions, 'find'>,
  ) {}

  async reserveSeconds({ accountId, jobId, run, seconds, keyId }: gateway.ReserveSecondsRequest): Promise<gateway.ReserveSecondsResponse> {
    const milliseconds = Math.round(seconds * 1000);
    if (keyId !== undefined && !(await this.budgets.reserve(accountId, keyId, { jobId, run }, milliseconds))) return { granted: false, keyBudgetExhausted: true };
    const granted = await this.quota.reserve(accountId, { jobId, run }, milliseconds);
    if (!granted) await this.budgets.release(accountId, { jobId, run });
    return { granted, keyBudgetExhausted: false };
  }

  async getStorageLeft({ accountId }: gateway.GetStorageLeftRequest): Promise<gateway.GetStorageLeftResponse> {
    return { bytes: await this.storage.leftOf(accountId) };
  }

  async getLiveAudio({ accountId, jobId }: gateway.GetLiveAudioRequest): Promise<gateway.GetLiveAudioResponse> {
    const session = await this.sessions.find(jobId);
    return { milliseconds: session?.accountId === accountId ? Math.round(session.audioMs) : 0 };
  }
}
