import { Controller, Inject, Res } from '@nestjs/common';
import type { AccountWorkService } from '@parlance/contracts';
import { ACCOUNT_WORK_SERVICE } from '@parlance/runtime';
import type { FastifyReply } from 'fastify';
import { legalHoldJson } from '../holds/legal-hold-schema.js';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import { present } from '../http/schema.js';
import { Authenticator, type Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { Plans } from '../plans/index.js';
import { timeText } from '../transcriptions/job-json.js';
import { StorageQuota } from '../uploads/storage-quota.js';
import { Quota } from '../usage/quota.js';
import type { Account } from './account.js';
import { AccountDeletions } from './account-deletions.js';
import { AccountLimits } from './account-limits.js';
import { deleteAccount, getAccount, getAccountErasure, restoreAccount } from './account-operations.js';
import { Accounts } from './accounts.js';

@Controller()
export class AccountController {
  constructor(
    @Inject(Accounts) private readonly accounts: Accounts,
    @Inject(AccountDeletions) private readonly deletions: AccountDeletions,
    @Inject(Authenticator) private readonly authenticator: Pick<Authenticator, 'forgetAccount'>,
    @Inject(Plans) private readonly plans: Plans,
    @Inject(Quota) private readonly quota: Quota,
    @Inject(StorageQuota) private readonly storage: StorageQuota,
    @Inject(AccountLimits) private readonly limits: AccountLimits,
    @Inject(ACCOUNT_WORK_SERVICE) private readonly work: Pick<AccountWorkService, 'getAccountHold' | 'getAccountErasure'>,
  ) {}

  @Serves(getAccount)
  async get(@Input() _input: InputOf<typeof getAccount>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    void reply.send(await this.json(await this.accounts.require(accountId)));
  }

  @Serves(deleteAccount)
  async delete(@Input() _input: InputOf<typeof deleteAccount>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const account = await this.deletions.request(accountId);
    this.authenticator.forgetAccount(accountId);
    void reply.status(202).send(await this.json(account));
  }

  @Serves(restoreAccount)
  async restore(@Input() _input: InputOf<typeof restoreAccount>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const account = await this.deletions.withdraw(accountId);
    this.authenticator.forgetAccount(accountId);
    void reply.status(200).send(await this.json(account));
  }

  @Serves(getAccountErasure)
  async erasure(@Input() { params }: InputOf<typeof getAccountErasure>, @Res() reply: FastifyReply): Promise<void> {
    const { erasure } = await this.work.getAccountErasure({ erasureId: params.erasure_id });
    const { erasureId, accountId, status, requestedAt, completedAt, items = [], kept, jws } = erasure ?? {};
    void reply.send(present({ erasure_id: erasureId, account_id: accountId, status, requested_at: timeText(requestedAt), completed_at: timeText(completedAt), items: status === 'completed' ? items.map(({ what, where, count }) => ({ what, where, when: timeText(completedAt), count })) : [], kept, jws }));
  }

  private async json(account: Account) {
    const { id, email, organization, createdAt, deletion } = account;
    const [{ freeSeconds, freeSecondsLeft }, { usedBytes, limitBytes }, limits, { hold }] = await Promise.all([this.quota.of(id), this.storage.of(id), this.limits.of(id), this.work.getAccountHold({ accountId: id })]);
    const free = { free_seconds: freeSeconds, free_seconds_left: freeSecondsLeft };
    const storage = { storage_bytes_used: usedBytes, storage_bytes_limit: limitBytes };
    const asked = deletion && { erasure_id: deletion.erasureId, requested_at: deletion.requestedAt, due_at: deletion.dueAt };
    return present({ account_id: id, email, organization, plan: this.plans.of(account).name, ...free, ...storage, limits, created_at: createdAt, deletion: asked, legal_hold: legalHoldJson(hold) });
  }
}
