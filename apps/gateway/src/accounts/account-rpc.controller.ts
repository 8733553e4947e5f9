import { Controller, Inject } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import type { gateway } from '@parlance/contracts';
import { AppError, notFound } from '@parlance/platform';
import type { ApiKeys } from '../keys/api-keys.js';
import { SCOPES, type Scope } from '../keys/scope.js';
import { ACCOUNTS, API_KEYS } from '../tokens.js';
import type { Accounts } from './accounts.js';

/** The operators' side of accounts, for the other processes of the deployment. */
@Controller()
export class AccountRpcController {
  constructor(
    @Inject(ACCOUNTS) private readonly accounts: Accounts,
    @Inject(API_KEYS) private readonly keys: ApiKeys,
  ) {}

  @GrpcMethod('AccountService', 'createAccount')
  async createAccount({ email, organization, plan }: gateway.CreateAccountRequest): Promise<gateway.CreateAccountResponse> {
    const { account, key } = await this.accounts.create({ email, organization, plan });
    return { accountId: account.id, apiKey: key.apiKey };
  }

  @GrpcMethod('AccountService', 'createFirstKey')
  async createFirstKey(): Promise<gateway.CreateFirstKeyResponse> {
    const { account, key, existed } = await this.accounts.firstKey();
    return { accountId: account.id, apiKey: key.apiKey, accountExisted: existed };
  }

  /** Without scopes, all of them. */
  @GrpcMethod('AccountService', 'createKey')
  async createKey({ accountId, name, scopes, expiresAt }: gateway.CreateKeyRequest): Promise<gateway.CreateKeyResponse> {
    if (!(await this.accounts.get(accountId))) throw notFound('The account');
    const { key, apiKey } = await this.keys.issue({
      accountId,
      name,
      scopes: scopes.length > 0 ? scopes.map(scopeOf) : SCOPES,
      expiresAt: expiresAt?.toISOString(),
    });
    return { keyId: key.id, apiKey };
  }
}

function scopeOf(name: string): Scope {
  const scope = SCOPES.find((known) => known === name);
  if (scope) return scope;
  throw new AppError({ kind: 'invalid', code: 'invalid_request', message: `There is no scope ${name}.` });
}
