import { Controller, Inject } from '@nestjs/common';
import type { AccountService, gateway } from '@parlance/contracts';
import { AppError, notFound } from '@parlance/platform';
import { ApiKeys } from '../keys/api-keys.js';
import { SCOPES, type Scope } from '../keys/scope.js';
import { Accounts } from '../accounts/accounts.js';

/** The part of AccountService for operators: accounts and keys. */
@Controller()
export class AccountRpcController implements Pick<AccountService, 'createAccount' | 'createKey' | 'createFirstKey'> {
  constructor(
    @Inject(Accounts) private readonly accounts: Accounts,
    @Inject(ApiKeys) private readonly keys: ApiKeys,
  ) {}

  async createAccount({ email, organization, plan }: gateway.CreateAccountRequest): Promise<gateway.CreateAccountResponse> {
    const { account, key } = await this.accounts.create({ email, organization, plan });
    return { accountId: account.id, apiKey: key.apiKey };
  }

  async createFirstKey(): Promise<gateway.CreateFirstKeyResponse> {
    const { account, key, existed } = await this.accounts.firstKey();
    return { accountId: account.id, apiKey: key.apiKey, accountExisted: existed };
  }

  /** Without scopes, all of them. */
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
  throw new AppError({ kind: 'invalid', code: 'invalid_request', message: `The scope ${name} does not exist.` });
}
