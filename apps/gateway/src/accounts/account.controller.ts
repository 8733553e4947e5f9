import { Controller, Inject, Req, Res } from '@nestjs/common';
import { notFound } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Serves } from '../http/operation.js';
import { readInput } from '../http/request-input.js';
import { present } from '../http/schema.js';
import { callerOf } from '../keys/key-guard.js';
import { ACCOUNTS } from '../tokens.js';
import { getAccount } from './account-operations.js';
import type { Accounts } from './accounts.js';

@Controller()
export class AccountController {
  constructor(@Inject(ACCOUNTS) private readonly accounts: Accounts) {}

  @Serves(getAccount)
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await readInput(getAccount, request);
    const account = await this.accounts.get(callerOf(request).accountId);
    if (!account) throw notFound('The account');
    const { id, email, organization, plan, createdAt } = account;
    void reply.send(present({ account_id: id, email, organization, plan, created_at: createdAt }));
  }
}
