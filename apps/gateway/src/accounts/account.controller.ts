import { Controller, Inject, Res } from '@nestjs/common';
import { notFound } from '@parlance/platform';
import type { FastifyReply } from 'fastify';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import { present } from '../http/schema.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { Plans } from '../plans/index.js';
import { StorageQuota } from '../uploads/storage-quota.js';
import { Quota } from '../usage/quota.js';
import { getAccount } from './account-operations.js';
import { Accounts } from './accounts.js';

@Controller()
export class AccountController {
  constructor(
    @Inject(Accounts) private readonly accounts: Accounts,
    @Inject(Plans) private readonly plans: Plans,
    @Inject(Quota) private readonly quota: Quota,
    @Inject(StorageQuota) private readonly storage: StorageQuota,
  ) {}

  @Serves(getAccount)
  async get(@Input() _input: InputOf<typeof getAccount>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const account = await this.accounts.get(accountId);
    if (!account) throw notFound('The account');
    const { id, email, organization, createdAt } = account;
    const { freeSeconds, freeSecondsLeft } = await this.quota.of(id);
    const free = { free_seconds: freeSeconds, free_seconds_left: freeSecondsLeft };
    const { usedBytes, limitBytes } = await this.storage.of(id);
    const storage = { storage_bytes_used: usedBytes, storage_bytes_limit: limitBytes };
    void reply.send(present({ account_id: id, email, organization, plan: this.plans.of(account).name, ...free, ...storage, created_at: createdAt }));
  }
}
