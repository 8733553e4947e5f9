import { Controller, Inject, Req, Res } from '@nestjs/common';
import { notFound } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Serves } from '../http/operation.js';
import { readInput } from '../http/request-input.js';
import { present } from '../http/schema.js';
import { callerOf } from '../keys/key-guard.js';
import { ACCOUNTS, PLANS, QUOTA } from '../tokens.js';
import type { Plans } from '../plans/index.js';
import type { Quota } from '../usage/quota.js';
import { getAccount } from './account-operations.js';
import type { Accounts } from './accounts.js';

@Controller()
export class AccountController {
  constructor(
    @Inject(ACCOUNTS) private readonly accounts: Accounts,
    @Inject(PLANS) private readonly plans: Plans,
    @Inject(QUOTA) private readonly quota: Quota,
  ) {}

  @Serves(getAccount)
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await readInput(getAccount, request);
    const account = await this.accounts.get(callerOf(request).accountId);
    if (!account) throw notFound('The account');
    const { id, email, organization, createdAt } = account;
    const { freeSeconds, freeSecondsLeft } = await this.quota.of(id);
    const free = { free_seconds: freeSeconds, free_seconds_left: freeSecondsLeft };
    void reply.send(present({ account_id: id, email, organization, plan: this.plans.of(account).name, ...free, created_at: createdAt }));
  }
}
