import { Controller, Inject } from '@nestjs/common';
import type { AccountService, gateway } from '@parlance/contracts';
import { StorageQuota } from '../uploads/storage-quota.js';
import { Quota } from '../usage/quota.js';

/** The part of AccountService that ingest asks before it transcribes a recording. */
@Controller()
export class UsageRpcController implements Pick<AccountService, 'reserveSeconds' | 'getStorageLeft'> {
  constructor(
    @Inject(Quota) private readonly quota: Quota,
    @Inject(StorageQuota) private readonly storage: StorageQuota,
  ) {}

  async reserveSeconds({ accountId, jobId, run, seconds }: gateway.ReserveSecondsRequest): Promise<gateway.ReserveSecondsResponse> {
    return { granted: await this.quota.reserve(accountId, { jobId, run }, Math.round(seconds * 1000)) };
  }

  async getStorageLeft({ accountId }: gateway.GetStorageLeftRequest): Promise<gateway.GetStorageLeftResponse> {
    return { bytes: await this.storage.leftOf(accountId) };
  }
}
