import { toAppError, type Clock, type IdGenerator } from '@parlance/platform';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { SCOPES } from '../keys/scope.js';
import type { ApiKeys, IssuedKey } from '../keys/api-keys.js';
import type { Account } from './account.js';

export interface NewAccount {
  email?: string | undefined;
  organization?: string | undefined;
}

/** The account that a deployment's own key belongs to when there is no other; one id, so that two starts at once make one. */
const FIRST_ACCOUNT_ID = 'acc_00000000000000000000000000';

export class Accounts {
  private readonly collection: DocumentCollection<Account>;

  constructor(
    documents: DocumentDatabase,
    private readonly keys: ApiKeys,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {
    this.collection = documents.collection<Account>({ name: 'accounts', indexes: [{ fields: ['plan'] }] });
  }

  async get(id: string): Promise<Account | undefined> {
    return (await this.collection.get(id))?.document;
  }

  /** With a first key that may do everything. */
  async create(details: NewAccount): Promise<{ account: Account; key: IssuedKey }> {
    const account = this.newAccount(this.ids.next('acc'), details);
    await this.collection.insert(account);
    const key = await this.keys.issue({ accountId: account.id, name: 'first key', scopes: SCOPES });
    return { account, key };
  }

  /** Lets the key that the operator chose in, for the first account; makes that account when there is none. */
  async bootstrap(apiKey: string): Promise<void> {
    if (await this.keys.hasAdopted(apiKey)) return;
    const account = (await this.oldest()) ?? (await this.insertFirst());
    await this.keys.adopt({ accountId: account.id, name: 'bootstrap key', scopes: SCOPES }, apiKey);
  }

  private async oldest(): Promise<Account | undefined> {
    const { items } = await this.collection.find({ where: { plan: 'free' }, direction: 'ascending', limit: 1 });
    return items[0]?.document;
  }

  private async insertFirst(): Promise<Account> {
    const account = this.newAccount(FIRST_ACCOUNT_ID, { organization: 'first account' });
    try {
      await this.collection.insert(account);
    } catch (error) {
      if (toAppError(error).kind !== 'conflict') throw error;
    }
    return account;
  }

  private newAccount(id: string, { email, organization }: NewAccount): Account {
    const createdAt = this.clock.now().toISOString();
    return { id, createdAt, plan: 'free', ...(email !== undefined && { email }), ...(organization !== undefined && { organization }) };
  }
}
