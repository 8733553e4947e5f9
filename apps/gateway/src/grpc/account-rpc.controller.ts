import { Controller, Inject } from '@nestjs/common';
import type { AccountService, gateway } from '@parlance/contracts';
import { AppError, notFound, type Clock, type IdGenerator } from '@parlance/platform';
import { CLOCK, DOCUMENTS, ID_GENERATOR } from '@parlance/runtime';
import type { DocumentDatabase } from '@parlance/storage';
import { OperatorAudit } from '../audit/operator-audit.js';
import { ApiKeys } from '../keys/api-keys.js';
import { SCOPES, type Scope } from '../keys/scope.js';
import { Accounts } from '../accounts/accounts.js';

/** The part of AccountService for operators: accounts and keys. */
@Controller()
export class AccountRpcController implements Pick<AccountService, 'createAccount' | 'createKey' | 'createFirstKey'> {
  private readonly audit: OperatorAudit;

  constructor(
    @Inject(Accounts) private readonly accounts: Accounts,
    @Inject(ApiKeys) private readonly keys: ApiKeys,
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(CLOCK) clock: Clock,
    @Inject(ID_GENERATOR) ids: IdGenerator,
  ) {
    this.audit = new OperatorAudit(documents, clock, ids);
  }

  async createAccount({ email, organization, plan }: gateway.CreateAccountRequest): Promise<gateway.CreateAccountResponse> {
    const { account, key } = await this.accounts.create({ email, organization, plan });
    await this.audit.recordCreated(account.id, 'createAccount', [key.key.id]);
    return { accountId: account.id, apiKey: key.apiKey };
  }

  async createFirstKey(): Promise<gateway.CreateFirstKeyResponse> {
    const { account, key, existed } = await this.accounts.firstKey();
    await this.audit.recordCreated(account.id, existed ? 'createKey' : 'createAccount', [key.key.id]);
    return { accountId: account.id, apiKey: key.apiKey, accountExisted: existed };
  }

  /** Without scopes, all of them. */
  async createKey({ accountId, name, scopes, expiresAt }: gateway.CreateKeyRequest): Promise<gateway.CreateKeyResponse> {
    if (!(await this.accounts.get(accountId))) throw notFound('The account');
    const request = { accountId, name, scopes: scopes.length > 0 ? scopes.map(scopeOf) : SCOPES, expiresAt: expiresAt?.toISOString() };
    const { key, apiKey } = await this.audit.record({ accountId, action: 'createKey' }, () => this.keys.issue(request), (issued) => [issued.key.id]);
    return { keyId: key.id, apiKey };
  }
}

function scopeOf(name: string): Scope {
  const scope = SCOPES.find((known) => known === name);
  if (scope) return scope;
  throw new AppError({ kind: 'invalid', code: 'invalid_request', message: `The scope ${name} does not exist.` });
}
